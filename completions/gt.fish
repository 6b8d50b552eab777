# fish completion for gt: the program itself prints the candidates.
COMPLETE=fish gt 2>/dev/null | source
