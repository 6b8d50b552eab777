#!/bin/sh
# A web hook that takes {"text": "..."} (Slack, Mattermost, Rocket.Chat, ...), by curl.
# The address is the contact of the route. It may be secret, so curl reads it from a file descriptor.
set -eu
printf '%s' "$GT_ESCALATION_JSON" |
    curl --fail --silent --show-error --max-time 8 --config /dev/fd/3 \
        --header 'Content-Type: application/json' --data-binary @- 3<<END
url = "$GT_ESCALATION_TO"
END
