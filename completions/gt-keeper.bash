# bash completion for gt-keeper: the program itself prints the candidates.
eval "$(COMPLETE=bash gt-keeper 2>/dev/null)"
