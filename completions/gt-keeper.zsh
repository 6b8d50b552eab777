#compdef gt-keeper
# zsh completion for gt-keeper: the program itself prints the candidates.
eval "$(COMPLETE=zsh gt-keeper 2>/dev/null)"
if [[ ${funcstack[1]-} == _gt-keeper ]] && (( $+functions[_clap_dynamic_completer_gt_keeper] )); then
    _clap_dynamic_completer_gt_keeper "$@"
fi
