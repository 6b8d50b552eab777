#!/bin/sh
# Records a town as a release leaves it, for tests/e2e/old_town.rs, which opens it with the programs of today:
#   sh record_town.sh PROGRAMS OUT.tar.gz
# PROGRAMS is the folder with the release's bd, gt, gtd and gt-keeper. The town has one bead merged, one in the merge
# queue, one half done by a worker whose session ended, one that waits for it, a convoy, a message and an escalation.
# `place` in the archive is the folder where the town was recorded: it stands in files of git and of the town.
set -eu
programs=$(cd "$1" && pwd)
out=$(realpath "$2")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
export HOME="$place/home" XDG_CONFIG_HOME="$place/home/.config" XDG_STATE_HOME="$place/home/.state" \
    XDG_RUNTIME_DIR="$place/run" PATH="$programs:$PATH"
unset TMUX GT_ROLE BD_ACTOR GT_TOWN_ROOT GT_ROOT || true
mkdir -p "$HOME" "$XDG_RUNTIME_DIR"
git config --global user.name Dana
git config --global user.email dana@example.org
git config --global init.defaultBranch main

git init -q --bare "$place/origin.git"
git clone -q "$place/origin.git" "$place/work" 2>/dev/null
cd "$place/work"
echo hello >README
git add README
git commit -qm First
git push -q origin main
cd "$place"
rm -rf work
gt install town >/dev/null 2>&1
cd town
gt rig add web "$place/origin.git" --prefix web >/dev/null 2>&1
python3 - "$place/worker.sh" <<'P'
import json, sys
path = "settings/config.json"
settings = json.load(open(path))
settings.setdefault("agents", {})["worker"] = {"provider": "scripted", "args": ["scripted", "--script", sys.argv[1]]}
settings["default_agent"] = "worker"
json.dump(settings, open(path, "w"), indent=2)
P
worker() {
    printf '#!/bin/sh\n%s\n' "$1" >"$place/worker.sh"
    chmod +x "$place/worker.sh"
}
create() { (cd web && bd create "$@" -d "It is needed." --silent); }
until_says() { # a text and the command that says it in the end
    text=$1
    shift
    for _ in $(seq 100); do
        "$@" 2>/dev/null | grep -q "$text" && return
        sleep 0.2
    done
    echo "\`$*\` does not say $text" >&2
    exit 1
}

# shellcheck disable=SC2016
worker 'echo work >"$GT_BEAD.txt"'
merged=$(create "Merged work")
gt sling "$merged" web >/dev/null 2>&1
until_says "$merged" gt mq list web
gt mq run web >/dev/null 2>&1
until_says closed bd -C web show "$merged" --json
waiting=$(create "Waits in the queue")
gt sling "$waiting" web >/dev/null 2>&1
until_says "$waiting" gt mq list web
worker 'echo half >half.txt; exit 1'
half=$(create "Half done")
gt sling "$half" web >/dev/null 2>&1
until_says stalled gt status
queued=$(create "Waits for the half" --deps "$half")
gt sling "$queued" web >/dev/null 2>&1
gt convoy create Release "$merged" "$waiting" "$half" "$queued" >/dev/null 2>&1
gt mail send mayor/ -s Hello -m "How is it going?" >/dev/null 2>&1
gt escalate "Which colour?" >/dev/null 2>&1
gt down >/dev/null 2>&1

cd "$place"
pwd >place
rm -rf origin.git/hooks town/web/.repo.git/hooks/*.sample town/.git/hooks/*.sample
tar --sort=name --owner=0 --group=0 -czf "$out" place origin.git worker.sh town
