#compdef gtd
# zsh completion for gtd: the program itself prints the candidates.
eval "$(COMPLETE=zsh gtd 2>/dev/null)"
if [[ ${funcstack[1]-} == _gtd ]] && (( $+functions[_clap_dynamic_completer_gtd] )); then
    _clap_dynamic_completer_gtd "$@"
fi
