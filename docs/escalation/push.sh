#!/bin/sh
# A push to your phone, by ntfy (https://ntfy.sh or your own server) and curl.
# The contact of the route is the address of your topic. The text comes on standard input.
set -eu
case $GT_ESCALATION_SEVERITY in
critical) priority=urgent ;;
high) priority=high ;;
*) priority=default ;;
esac
exec curl --fail --silent --show-error --max-time 8 \
    --header "Title: [$GT_ESCALATION_SEVERITY] $GT_ESCALATION_TITLE" \
    --header "Priority: $priority" --header "Tags: rotating_light" \
    --data-binary @- -- "$GT_ESCALATION_TO"
