#!/bin/sh
# Builds the release programs named as arguments (default: bd gt gtd gt-keeper) and prints the folder they are in.
#
# They are linked statically where that works, because a program that loads nothing starts in half the time:
#   1. against the static glibc (`libc.a`, on Debian part of libc6-dev), at fixed addresses: what has not to be
#      moved starts 7 % faster, and keeps a MiB less;
#   2. else against musl, where its target is installed (`rustup target add x86_64-unknown-linux-musl`) and
#      musl-gcc builds the C parts (musl-tools); starts as fast, but its malloc is slower;
#   3. else as the toolchain does it.
# GASTOWN_LINK=static|musl|plain chooses one; then nothing else is tried.
set -eu
cd "$(dirname "$0")/.."

[ $# -gt 0 ] || set -- bd gt gtd gt-keeper
packages=
for name in "$@"; do
    case $name in
    bd | gt) packages="$packages -p $name-cli" ;;
    *) packages="$packages -p $name" ;;
    esac
done
host=$(rustc -vV | sed -n 's/^host: //p')
musl=$(printf '%s' "$host" | sed 's/-gnu$/-musl/')
probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT

links() { # arguments for rustc: whether a program is linked that way and runs
    echo 'fn main() {}' >"$probe/main.rs"
    rustc "$@" -o "$probe/main" "$probe/main.rs" >"$probe/said" 2>&1 && "$probe/main"
}
build() { # arguments for cargo
    # shellcheck disable=SC2086
    ${CARGO:-cargo} build --release --locked $packages "$@" >&2
}

static="-C target-feature=+crt-static -C relocation-model=static"
way=${GASTOWN_LINK:-}
if [ -z "$way" ]; then
    way=plain
    case $host in
    *-linux-gnu)
        # shellcheck disable=SC2086
        if links --target "$host" $static; then
            way=static
        elif command -v musl-gcc >/dev/null 2>&1 && links --target "$musl"; then
            way=musl
        fi
        ;;
    esac
fi

target=${CARGO_TARGET_DIR:-target}
case $way in
static)
    RUSTFLAGS="${RUSTFLAGS:-} $static" build --target "$host"
    folder=$target/$host/release
    ;;
musl)
    build --target "$musl"
    folder=$target/$musl/release
    ;;
plain)
    build
    folder=$target/release
    ;;
*)
    echo "GASTOWN_LINK is $way: it can be static, musl or plain" >&2
    exit 2
    ;;
esac
echo "linked: $way" >&2
cd "$folder"
pwd
