#!/bin/sh
# A push to your phone, by ntfy (https://ntfy.sh or your own server) and curl.
# The contact of the route is the address of your topic. The text comes on standard input.
set -eu
case $GT_ESCALATION_SEVERITY in
critical) priority=urgent ;;
high) priority=high ;;
*) priority=default ;;
esac
# With `page.url` set, a tap on the notification opens the question.
if [ -n "$GT_ESCALATION_LINK" ]; then
    set -- --header "Click: $GT_ESCALATION_LINK"
fi
exec curl --fail --silent --show-error --max-time 8 "$@" \
    --header "Title: [$GT_ESCALATION_SEVERITY] $GT_ESCALATION_TITLE" \
    --header "Priority: $priority" --header "Tags: rotating_light" \
    --data-binary @- -- "$GT_ESCALATION_TO"
