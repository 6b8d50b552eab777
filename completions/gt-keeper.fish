# fish completion for gt-keeper: the program itself prints the candidates.
COMPLETE=fish gt-keeper 2>/dev/null | source
