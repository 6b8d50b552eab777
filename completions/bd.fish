# fish completion for bd: the program itself prints the candidates.
COMPLETE=fish bd 2>/dev/null | source
