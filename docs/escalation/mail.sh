#!/bin/sh
# An e-mail, by the sendmail program of the system (postfix, exim, msmtp, ...).
# The recipient is read from the header (-t). The text comes on standard input.
set -eu
{
    printf 'To: %s\n' "$GT_ESCALATION_TO"
    printf 'Subject: [%s] %s\n' "$GT_ESCALATION_SEVERITY" "$GT_ESCALATION_TITLE"
    printf 'Content-Type: text/plain; charset=utf-8\n\n'
    cat
} | "${SENDMAIL:-sendmail}" -t
