#!/bin/sh
# Builds the packages into dist/: for each target an archive and a Debian package, then the npm packages, the Homebrew
# formula, the list of parts (SBOM) and SHA256SUMS.
#
#   scripts/dist.sh [TARGET...]     default: this machine and, if its cross compiler is installed, Linux on arm64
#
# Another target than this machine needs `rustup target add TARGET` and a C compiler for it: for
# aarch64-unknown-linux-gnu the Debian package gcc-aarch64-linux-gnu. Linux programs are linked statically, so that one
# archive runs on every distribution.
#
# DIST_URL is where the archives will be downloaded from, for the formula. DIST_PROGRAMS=FOLDER packs the programs of a
# folder instead of building them.
set -eu
cd "$(dirname "$0")/.."

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
host=$(rustc -vV | sed -n 's/^host: //p')
out=${DIST_OUT:-dist}
url=${DIST_URL:-https://example.invalid/gastown/releases/v$version}
# The files of one commit have one time, so that the archives can be rebuilt byte for byte.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH
programs="bd gt gtd gt-keeper"

if [ $# -eq 0 ]; then
    set -- "$host"
    arm=aarch64-unknown-linux-gnu
    if [ -z "${DIST_PROGRAMS:-}" ] && [ "$host" != "$arm" ] && command -v aarch64-linux-gnu-gcc >/dev/null 2>&1 &&
        [ -d "$(rustc --print sysroot)/lib/rustlib/$arm" ]; then
        set -- "$@" "$arm"
    fi
fi

# Prints the folder with the programs of a target.
build() {
    if [ -n "${DIST_PROGRAMS:-}" ]; then
        echo "$DIST_PROGRAMS"
    elif [ "$1" = "$host" ]; then
        scripts/release.sh
    else
        build_for_other_machine "$1" >&2
        echo "${CARGO_TARGET_DIR:-target}/$1/release"
    fi
}

build_for_other_machine() {
    name=$(printf '%s' "$1" | tr 'a-z-' 'A-Z_')
    flags=
    case $1 in
    *-linux-gnu)
        compiler=$(printf '%s' "$1" | sed 's/-unknown//')-gcc
        export "CARGO_TARGET_${name}_LINKER=$compiler" "CC_$(printf '%s' "$1" | tr - _)=$compiler"
        flags="-C target-feature=+crt-static"
        ;;
    esac
    RUSTFLAGS="${RUSTFLAGS:-} $flags" ${CARGO:-cargo} build --release --locked --target "$1" \
        -p bd-cli -p gt-cli -p gtd -p gt-keeper
}

# Fills a folder as PREFIX: programs, man pages, completions, licenses.
stage() { # programs, folder
    mkdir -p "$2/bin" "$2/share/man/man1" "$2/share/bash-completion/completions" "$2/share/zsh/site-functions" \
        "$2/share/fish/vendor_completions.d" "$2/share/doc/gastown"
    for program in $programs; do
        install -m 755 "$1/$program" "$2/bin/$program"
        install -m 644 "completions/$program.bash" "$2/share/bash-completion/completions/$program"
        install -m 644 "completions/$program.zsh" "$2/share/zsh/site-functions/_$program"
        install -m 644 "completions/$program.fish" "$2/share/fish/vendor_completions.d/$program.fish"
    done
    install -m 644 man/*.1 "$2/share/man/man1"
    install -m 644 README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$2/share/doc/gastown"
}

pack_archive() { # folder's parent, folder's name
    tar -C "$1" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
        -cf "$work/$2.tar" "$2"
    gzip -9n <"$work/$2.tar" >"$out/$2.tar.gz"
}

pack_deb() { # staged folder, target
    case $2 in
    x86_64-*-linux-*) arch=amd64 ;;
    aarch64-*-linux-*) arch=arm64 ;;
    *) return 0 ;;
    esac
    command -v dpkg-deb >/dev/null 2>&1 || {
        echo "no dpkg-deb here: no Debian package" >&2
        return 0
    }
    root=$work/deb-$arch
    mkdir -p "$root/DEBIAN" "$root/usr"
    cp -R "$1/." "$root/usr/"
    sed -e "s/@VERSION@/$version/" -e "s/@ARCH@/$arch/" \
        -e "s/@SIZE@/$(du -sk "$root/usr" | cut -f1)/" scripts/dist/control.in >"$root/DEBIAN/control"
    find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group -Zxz --build "$root" "$out/gastown_${version}_$arch.deb" >/dev/null
}

pack_npm() { # staged folder, target
    case $2 in
    x86_64-*-linux-*) os=linux cpu=x64 ;;
    aarch64-*-linux-*) os=linux cpu=arm64 ;;
    x86_64-apple-*) os=darwin cpu=x64 ;;
    aarch64-apple-*) os=darwin cpu=arm64 ;;
    *) return 0 ;;
    esac
    folder=$out/npm/$os-$cpu
    mkdir -p "$folder/bin"
    for program in $programs; do install -m 755 "$1/bin/$program" "$folder/bin/$program"; done
    sed -e "s/@VERSION@/$version/" -e "s/@OS@/$os/g" -e "s/@CPU@/$cpu/g" scripts/dist/npm-programs.json.in \
        >"$folder/package.json"
}

sum_of() { sha256sum "$1" | cut -d' ' -f1; }

if [ -d "$out" ] && [ -n "$(ls -A "$out")" ] && [ ! -f "$out/gastown.rb" ]; then
    echo "$out holds other files: choose an empty folder with DIST_OUT" >&2
    exit 1
fi
case $url in
*[\|\&\\\"]*)
    echo "DIST_URL must not contain | & \\ or \"" >&2
    exit 1
    ;;
esac
rm -rf "$out"
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for target; do
    echo "packing $target" >&2
    folder=$(build "$target")
    name=gastown-$version-$target
    stage "$folder" "$work/$name"
    pack_archive "$work" "$name"
    pack_deb "$work/$name" "$target"
    pack_npm "$work/$name" "$target"
done

mkdir -p "$out/npm/gastown/bin"
sed "s/@VERSION@/$version/g" scripts/dist/npm-main.json.in >"$out/npm/gastown/package.json"
for program in $programs; do
    install -m 755 scripts/dist/npm-run.js "$out/npm/gastown/bin/$program.js"
done

formula=$out/gastown.rb
sed -e "s/@VERSION@/$version/" scripts/dist/formula.rb.in >"$formula"
for target in x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu x86_64-apple-darwin aarch64-apple-darwin; do
    archive=$out/gastown-$version-$target.tar.gz
    if [ -f "$archive" ]; then
        sed -i "s|@$target@|url \"$url/${archive##*/}\"\\n      sha256 \"$(sum_of "$archive")\"|" "$formula"
    else
        sed -i "s|@$target@|odie \"there is no package for this machine: build from source\"|" "$formula"
    fi
done

python3 scripts/dist/sbom.py "$host" >"$out/gastown-$version.cdx.json"
(cd "$out" && find . -type f ! -path './npm/*' ! -name SHA256SUMS | sed 's|^\./||' | sort | xargs sha256sum >SHA256SUMS)
(cd "$out" && find . -type f | sort) >&2
