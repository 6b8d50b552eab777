#compdef NAME
# zsh completion for NAME: the program itself prints the candidates.
eval "$(COMPLETE=zsh NAME 2>/dev/null)"
if [[ ${funcstack[1]-} == _NAME ]] && (( $+functions[_clap_dynamic_completer_FUNCTION] )); then
    _clap_dynamic_completer_FUNCTION "$@"
fi
