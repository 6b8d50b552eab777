#!/bin/sh
# Makes sure that what building, testing and the demo need is there: a Rust toolchain, git, git-lfs (for tests), tmux,
# sqlite3, a C compiler, bubblewrap. `setup.sh test` adds what only tests need: Chromium, strace, sshd, faketime.
# On Debian and its kin what is missing is installed with apt-get, as root or with sudo, and named first; elsewhere it
# is only named.
set -eu

missing=
need() { # program, Debian package
    command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}
need git git
need tmux tmux
need git-lfs git-lfs
need sqlite3 sqlite3
need cc gcc
# The tests open the town's page in a browser.
[ "${1:-}" != test ] || need chromium chromium
# They put programs into a jail.
[ "$(uname -s)" != Linux ] || need bwrap bubblewrap
# They read what a jail refused.
[ "${1:-}" != test ] || [ "$(uname -s)" != Linux ] || need strace strace
# They reach another machine.
[ "${1:-}" != test ] || [ -x /usr/sbin/sshd ] || need sshd openssh-server
# That machine has a network of its own, and a wrong clock.
[ "${1:-}" != test ] || [ "$(uname -s)" != Linux ] || [ -x /usr/sbin/ip ] || need ip iproute2
[ "${1:-}" != test ] || [ "$(uname -s)" != Linux ] || need faketime faketime
[ -e /usr/include/stdlib.h ] || [ "$(uname -s)" != Linux ] || missing="$missing libc6-dev"

if [ -n "$missing" ]; then
    if command -v apt-get >/dev/null 2>&1; then
        as_root=
        if [ "$(id -u)" != 0 ]; then
            if ! command -v sudo >/dev/null 2>&1; then
                echo "missing:$missing. Install them as root: apt-get install$missing" >&2
                exit 1
            fi
            as_root=sudo
        fi
        echo "setup: installing$missing with apt-get ${as_root:+(sudo)}"
        $as_root apt-get update -qq
        # shellcheck disable=SC2086
        DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends ca-certificates $missing >/dev/null
    else
        echo "missing:$missing. Install them with your system's package manager and try again." >&2
        exit 1
    fi
fi

if ! command -v cargo >/dev/null 2>&1; then
    echo "missing: a Rust toolchain (1.95 or later). See https://rustup.rs" >&2
    exit 1
fi
