#!/bin/sh
# Lists the gates of the last week that passed only when repeated.
set -eu

# Prints the value of each field of that name in JSON, one per line.
field() {
    tr ',{}[]' '\n\n\n\n\n' | sed -n "s/^ *\"$1\": *\"\{0,1\}\([^\"]*\)\"\{0,1\} *\$/\1/p"
}

# Prints the gates with repeated runs in the JSON of `gt mq stats`.
flaky() {
    tr ',{}[]' '\n\n\n\n\n' | sed 's/^ *//' | awk -F'": *' '
        $1 == "\"gate" { gate = $2; gsub(/"/, "", gate) }
        $1 == "\"runs" { runs = $2 }
        $1 == "\"failed" { failed = $2 }
        $1 == "\"retried" && $2 > 0 { print gate ": " $2 " repeated of " runs " runs, " failed " failed" }'
}

found=
# Not in a pipe, which would hide a failure.
rigs=$(gt rig list --json)
for rig in $(printf '%s' "$rigs" | field name); do
    stats=$(gt mq stats "$rig" --since 7d --json)
    list=$(printf '%s' "$stats" | flaky)
    if [ -n "$list" ]; then
        found=yes
        echo "$list" | sed "s|^|$rig: gate |"
    fi
done
if [ -z "$found" ]; then
    echo "No gate was flaky in the last 7 days."
fi
