#!/bin/sh
# Gas Town: refuses stashes, because all sandboxes of a rig share them.
[ "$1" = prepared ] || exit 0
while read -r _old new ref; do
    [ "$ref" = refs/stash ] || continue
    case $new in
    *[!0]*)
        echo "stashes are shared by all workers of this rig, so another one could take yours: commit instead (git commit -m WIP)" >&2
        exit 1
        ;;
    esac
done
exit 0
