#!/bin/sh
# A desktop notification, by notify-send (package libnotify-bin).
# The daemon needs DBUS_SESSION_BUS_ADDRESS: set it in "env" if it runs outside of your session.
set -eu
case $GT_ESCALATION_SEVERITY in
critical) urgency=critical ;;
low) urgency=low ;;
*) urgency=normal ;;
esac
exec notify-send --app-name=gastown --urgency="$urgency" -- \
    "$GT_ESCALATION_SEVERITY: $GT_ESCALATION_TITLE" "$GT_ESCALATION_ID from $GT_ESCALATION_FROM"
