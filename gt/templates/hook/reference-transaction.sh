#!/bin/sh
# Gas Town: refuses stashes, because all sandboxes of a rig share them.
[ "$1" = prepared ] || exit 0
while read -r _old new ref; do
    [ "$ref" = refs/stash ] || continue
    # git keeps an autostash that it cannot apply, which is no worker's decision.
    for file in rebase-merge/autostash rebase-apply/autostash MERGE_AUTOSTASH; do
        path=$(git rev-parse --git-path "$file")
        if [ -f "$path" ] && [ "$(cat "$path")" = "$new" ]; then
            continue 2
        fi
    done
    case $new in
    *[!0]*)
        echo "stashes are shared by all workers of this rig, so another one could take yours: commit instead (git commit -m WIP)" >&2
        exit 1
        ;;
    esac
done
exit 0
