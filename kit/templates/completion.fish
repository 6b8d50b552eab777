# fish completion for NAME: the program itself prints the candidates.
COMPLETE=fish NAME 2>/dev/null | source
