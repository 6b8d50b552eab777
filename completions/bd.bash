# bash completion for bd: the program itself prints the candidates.
eval "$(COMPLETE=bash bd 2>/dev/null)"
