# bash completion for NAME: the program itself prints the candidates.
eval "$(COMPLETE=bash NAME 2>/dev/null)"
