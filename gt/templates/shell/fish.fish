# Sets GT_TOWN_ROOT and GT_RIG while you are in a town. `gt shell remove` removes these lines.
function __gastown_enter --on-variable PWD
    test -z "$GT_SESSION"; or return 0
    set -l place (command gt shell place 2>/dev/null)
    if test -n "$place[1]"
        test -n "$__gastown_set"; or set -gx __gastown_before "$GT_TOWN_ROOT"
        set -gx __gastown_set 1
        set -gx GT_TOWN_ROOT $place[1]
        if test -n "$place[2]"
            set -gx GT_RIG $place[2]
        else
            set -e GT_RIG
        end
    else if test -n "$__gastown_set"
        set -gx GT_TOWN_ROOT $__gastown_before
        test -n "$GT_TOWN_ROOT"; or set -e GT_TOWN_ROOT
        set -e GT_RIG __gastown_set __gastown_before
    end
end
__gastown_enter
