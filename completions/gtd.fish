# fish completion for gtd: the program itself prints the candidates.
COMPLETE=fish gtd 2>/dev/null | source
