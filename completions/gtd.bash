# bash completion for gtd: the program itself prints the candidates.
eval "$(COMPLETE=bash gtd 2>/dev/null)"
