#compdef bd
# zsh completion for bd: the program itself prints the candidates.
eval "$(COMPLETE=zsh bd 2>/dev/null)"
if [[ ${funcstack[1]-} == _bd ]] && (( $+functions[_clap_dynamic_completer_bd] )); then
    _clap_dynamic_completer_bd "$@"
fi
