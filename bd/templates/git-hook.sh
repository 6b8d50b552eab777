#!/usr/bin/env sh
# bd-shim v1
# bd-hooks-version: VERSION
# It runs the hook that was here before, then bd. 'bd hooks uninstall' puts that one back.
before="$0.before-bd"
if [ -x "$before" ]; then
    "$before" "$@" || exit $?
fi
if ! command -v bd >/dev/null 2>&1; then
    echo "Warning: bd is not in PATH, so its HOOK hook does nothing" >&2
    exit 0
fi
exec bd hook HOOK "$@"
