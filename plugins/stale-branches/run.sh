#!/bin/sh
# Lists the branches that `gt prune-branches` would remove, and why the others stay.
set -eu
gt prune-branches --dry-run
