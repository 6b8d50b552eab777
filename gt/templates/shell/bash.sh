# Sets GT_TOWN_ROOT and GT_RIG while you are in a town. `gt shell remove` removes these lines.
__gastown_enter() {
    local code=$? town= rig=
    if [ -z "${GT_SESSION-}" ] && [ "$PWD" != "${__gastown_pwd-}" ]; then
        __gastown_pwd=$PWD
        { IFS= read -r town; IFS= read -r rig; } < <(command gt shell place 2>/dev/null)
        if [ -n "$town" ]; then
            [ -n "${__gastown_set-}" ] || export __gastown_before="${GT_TOWN_ROOT-}"
            export __gastown_set=1 GT_TOWN_ROOT="$town"
            if [ -n "$rig" ]; then export GT_RIG="$rig"; else unset GT_RIG; fi
        elif [ -n "${__gastown_set-}" ]; then
            export GT_TOWN_ROOT="$__gastown_before"
            [ -n "$GT_TOWN_ROOT" ] || unset GT_TOWN_ROOT
            unset GT_RIG __gastown_set __gastown_before
        fi
    fi
    return "$code"
}
case "${PROMPT_COMMAND-}" in
*__gastown_enter*) ;;
*) PROMPT_COMMAND="__gastown_enter${PROMPT_COMMAND:+; $PROMPT_COMMAND}" ;;
esac
