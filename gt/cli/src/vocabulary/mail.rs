//! Commands of the original about messages.

use super::{Group, kinder, refused, renamed, same};

const MISSING: &str = "mail goes to agents, crew and the overseer, one by one";
const SEND: &str = "type `gt mail send TO -s SUBJECT` once per recipient";
const DND: &str = "nudges to a busy agent wait until its turn ends";

/// See the module.
pub(super) const MAIL: Group = Group {
    title: "Messages",
    commands: &[
        same("mail"),
        same("mail send"),
        same("mail inbox"),
        kinder("mail read", "marks the message as read"),
        same("mail reply"),
        same("mail archive"),
        same("mail delete"),
        same("mail mark-read"),
        same("mail mark-unread"),
        same("mail check"),
        renamed("mail peek", "gt mail inbox --unread", ""),
        renamed("mail thread", "gt mail read MESSAGE", ""),
        renamed("mail search", "gt mail inbox --all", ""),
        renamed("mail clear", "gt mail archive MESSAGES", ""),
        renamed("mail hook", "gt mol attach-from-mail MESSAGE", ""),
        refused("mail claim", MISSING, SEND),
        refused("mail release", MISSING, SEND),
        refused("mail announces", MISSING, SEND),
        refused("mail channel", MISSING, SEND),
        refused("mail channel list", MISSING, SEND),
        refused("mail channel show", MISSING, SEND),
        refused("mail channel create", MISSING, SEND),
        refused("mail channel delete", MISSING, SEND),
        refused("mail channel subscribe", MISSING, SEND),
        refused("mail channel unsubscribe", MISSING, SEND),
        refused("mail channel subscribers", MISSING, SEND),
        refused("mail group", MISSING, SEND),
        refused("mail group list", MISSING, SEND),
        refused("mail group show", MISSING, SEND),
        refused("mail group create", MISSING, SEND),
        refused("mail group add", MISSING, SEND),
        refused("mail group remove", MISSING, SEND),
        refused("mail group delete", MISSING, SEND),
        refused("mail queue", MISSING, SEND),
        refused("mail queue create", MISSING, SEND),
        refused("mail queue show", MISSING, SEND),
        refused("mail queue list", MISSING, SEND),
        refused("mail queue delete", MISSING, SEND),
        refused(
            "broadcast",
            MISSING,
            "type `gt nudge AGENT TEXT` once per agent",
        ),
        refused("dnd", DND, "type `gt status`"),
        refused("notify", DND, "type `gt status`"),
        same("nudge"),
        same("peek"),
        kinder(
            "escalate",
            "asks for a decision with options, a default and a deadline",
        ),
        same("escalate list"),
        same("escalate ack"),
        same("escalate close"),
        same("escalate stale"),
        same("escalate show"),
    ],
};
