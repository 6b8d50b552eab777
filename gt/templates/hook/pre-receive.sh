#!/bin/sh
# Gas Town: refuses pushes of workers, because their work gets here by gt done.
# A worker can change its own variables, but not those of the session above it.
town=$(cd ../.. && pwd -P) || exit 0

refuse_worker() {
    case $1 in
    */polecats/*) ;;
    *) return ;;
    esac
    [ "$(cd "$2" 2>/dev/null && pwd -P)" = "$town" ] || return
    echo "work gets into this repository only through the merge queue:" >&2
    echo "  gt done" >&2
    exit 1
}

refuse_worker "$GT_ROLE" "$GT_TOWN_ROOT"
pid=$PPID
while [ "${pid:-1}" -gt 1 ] && [ -r "/proc/$pid/stat" ]; do
    case $(readlink "/proc/$pid/exe") in
    */tmux) break ;;
    esac
    # The processes of other users cannot be read, and are no session of a worker.
    variables=$({ tr '\0' '\n' <"/proc/$pid/environ"; } 2>/dev/null)
    refuse_worker "$(printf "%s\n" "$variables" | sed -n 's/^GT_ROLE=//p' | head -n 1)" \
        "$(printf "%s\n" "$variables" | sed -n 's/^GT_TOWN_ROOT=//p' | head -n 1)"
    pid=$(sed 's/.*) . \([0-9]*\) .*/\1/' "/proc/$pid/stat" 2>/dev/null)
done
exit 0
