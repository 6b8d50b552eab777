#!/usr/bin/env sh
# bd-shim v1
# bd-hooks-version: VERSION
# It runs the hook that was here before, then bd. 'bd hooks uninstall' puts that one back.
before="$0.before-bd"
if [ -x "$before" ]; then
    "$before" "$@" || exit $?
fi
# Without bd in PATH it does nothing.
command -v bd >/dev/null 2>&1 || exit 0
exec bd hook HOOK "$@"
