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
click=
if [ -n "$GT_ESCALATION_LINK" ]; then
    click="header = \"Click: $GT_ESCALATION_LINK\""
fi
# Other users see the arguments of a program, so curl reads the link and the topic from a file
# descriptor.
exec curl --fail --silent --show-error --max-time 8 --config /dev/fd/3 \
    --header "Title: [$GT_ESCALATION_SEVERITY] $GT_ESCALATION_TITLE" \
    --header "Priority: $priority" --header "Tags: rotating_light" \
    --data-binary @- 3<<END
url = "$GT_ESCALATION_TO"
$click
END
