#!/bin/sh
# The demo's agent: does the three beads of the demo without a model. Its input comes in the environment;
# what it leaves is committed and handed in by `gt scripted`.
set -eu
mkdir -p gastown-demo
cp "$GT_PRIME_FILE" "$GT_ROOT/.runtime/demo-prime-$GT_BEAD.json"
case "$GT_BEAD_TITLE" in
  "Add a greeting")
    cat > gastown-demo/greet.sh <<'SH'
greet() { printf 'Hello, %s!\n' "$1"; }
SH
    cat > gastown-demo/greet_test.sh <<'SH'
. gastown-demo/greet.sh
[ "$(greet Ada)" = "Hello, Ada!" ]
SH
    echo "greet NAME in gastown-demo/greet.sh prints one line; source the file to use it." > "$GT_SUMMARY_FILE" ;;
  "Add a counter")
    cat > gastown-demo/count.sh <<'SH'
count() { echo $#; }
SH
    cat > gastown-demo/count_test.sh <<'SH'
. gastown-demo/count.sh
[ "$(count a b c)" = 3 ] && [ "$(count)" = 0 ]
SH
    echo "count ARGS in gastown-demo/count.sh prints how many arguments it got, 0 for none." > "$GT_SUMMARY_FILE" ;;
  "Greet everyone and count them")
    cat > gastown-demo/party.sh <<'SH'
. gastown-demo/greet.sh
. gastown-demo/count.sh
party() { for guest in "$@"; do greet "$guest"; done; echo "$(count "$@") guests"; }
SH
    cat > gastown-demo/party_test.sh <<'SH'
. gastown-demo/party.sh
[ "$(party Ada Bo | tail -n 1)" = "2 guests" ] && [ "$(party Ada Bo | head -n 1)" = "Hello, Ada!" ]
SH
    echo "party NAMES in gastown-demo/party.sh builds on greet and count, as the earlier workers described them." > "$GT_SUMMARY_FILE" ;;
  *) echo "this agent only knows the demo's beads" >&2; exit 1 ;;
esac
for test in gastown-demo/*_test.sh; do sh "$test"; echo "passed: $test"; done
