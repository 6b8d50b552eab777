#!/bin/sh
# Backs up the town to the folder or repository of the setting plugins.backup_to.
set -eu
to=$(gt config get plugins.backup_to)
if [ -z "$to" ]; then
    echo "There is no place for backups: gt config set plugins.backup_to DIR"
    # The exit code of a plugin with nothing to do.
    exit 77
fi
exec gt backup "$to"
