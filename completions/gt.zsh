#compdef gt
# zsh completion for gt: the program itself prints the candidates.
eval "$(COMPLETE=zsh gt 2>/dev/null)"
if [[ ${funcstack[1]-} == _gt ]] && (( $+functions[_clap_dynamic_completer_gt] )); then
    _clap_dynamic_completer_gt "$@"
fi
