#!/bin/sh
# Removes the prepared briefings. They are derived, and gtd writes them again.
set -eu
count=$(find "$GT_TOWN_ROOT/.runtime/briefings" -name '[!.]*.json' 2>/dev/null | wc -l)
rm -rf "$GT_TOWN_ROOT/.runtime/briefings"
echo "$((count)) prepared briefings removed."
