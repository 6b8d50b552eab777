# bash completion for gt: the program itself prints the candidates.
eval "$(COMPLETE=bash gt 2>/dev/null)"
