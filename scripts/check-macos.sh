#!/bin/sh
# Checks that the programs compile for macOS, on a machine without a macOS SDK: the Rust code is checked, and the C
# parts are replaced by empty objects, because nothing is linked. Needs `rustup target add aarch64-apple-darwin`.
set -eu
cd "$(dirname "$0")/.."
target=aarch64-apple-darwin
stub=$(mktemp -d)
trap 'rm -rf "$stub"' EXIT
cat >"$stub/cc" <<'STUB'
#!/bin/sh
# Makes the output file, whatever the input is.
for word; do
    [ "${last:-}" = -o ] && : >"$word"
    last=$word
done
STUB
printf '#!/bin/sh\nexit 0\n' >"$stub/ar"
chmod +x "$stub/cc" "$stub/ar"
CC_aarch64_apple_darwin=$stub/cc AR_aarch64_apple_darwin=$stub/ar SDKROOT=$stub \
    ${CARGO:-cargo} check --locked --target $target -p bd-cli -p gt-cli -p gtd -p gt-keeper
