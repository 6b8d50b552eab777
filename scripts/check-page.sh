#!/bin/sh
# Checks the format of the page's HTML, CSS and JavaScript, and looks for mistakes in them, with Biome.
# `check-page.sh --write` corrects the format. Biome is one program, which is fetched once into target/tools.
set -eu
cd "$(dirname "$0")/.."
version=2.6.8
case $(uname -s)-$(uname -m) in
Linux-x86_64)
    package=cli-linux-x64
    sum=5c8937a4b413e7a23a4ed8bebb40c5f05b523578c23133dbc554f37c9f5c4b6b7522654abeba95e5be761ae11a260ebfc2e897bf3d2c8df6f9b1a0784cf463cc
    ;;
Linux-aarch64)
    package=cli-linux-arm64
    sum=d018e29bc94ac27aef5d41e82389374dbe75063a222c4c039e8bc223c9d2ce493ac23ddd4a18ae023af1ebe5f41e37f87a3475b116604d08920c7969cbdbc1ef
    ;;
*)
    echo "check-page: skipped: there is no pinned Biome for this machine" >&2
    exit 0
    ;;
esac
tool=target/tools/biome-$version
if [ ! -x "$tool" ]; then
    archive=target/tools/$package-$version.tgz
    mkdir -p target/tools
    if ! curl -fsSL --max-time 120 -o "$archive" "https://registry.npmjs.org/@biomejs/$package/-/$package-$version.tgz"; then
        echo "check-page: skipped: Biome cannot be fetched" >&2
        exit 0
    fi
    echo "$sum  $archive" | sha512sum --check --quiet
    tar -xzf "$archive" -C target/tools package/biome
    chmod +x target/tools/package/biome
    mv target/tools/package/biome "$tool"
fi
"$tool" check --error-on-warnings --config-path=scripts/biome.json "$@" gtd/src/page/assets
