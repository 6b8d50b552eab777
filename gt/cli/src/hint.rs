//! Shows a hint with the first use of a part of the town.

use gt::record::hint::take_hint;
use gt::town::Town;

use crate::context::Context;

/// A part of the town that a hint explains.
#[derive(Debug, Clone, Copy)]
pub(crate) enum HintTopic {
    Convoy,
    Agent,
    Queue,
    Status,
}

impl HintTopic {
    fn name(self) -> &'static str {
        match self {
            Self::Convoy => "convoy",
            Self::Agent => "agent",
            Self::Queue => "queue",
            Self::Status => "status",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Convoy => {
                "a convoy follows the beads until they are merged: gt convoy list; a worker can be watched: \
                 gt attach RIG/NAME"
            }
            Self::Agent => {
                "Ctrl-b d leaves the session, and the agent goes on; gt peek shows the last lines only"
            }
            Self::Status => {
                "a rig is a repository of the town, a polecat one of its workers, a hook names the bead that \
                 an agent works on, a convoy is a batch of beads, a zombie a worker whose session outlived \
                 its work"
            }
            Self::Queue => {
                "finished work waits here until its gates pass; a failed gate sends the bead back to a worker: \
                 gt why REQUEST"
            }
        }
    }
}

/// Shows the hint to a user on a terminal, unless it was shown before.
pub(crate) fn show_hint_once(ctx: &Context, town: &Town, topic: HintTopic) {
    if ctx.ui.is_terminal() && !ctx.ui.is_json() && take_hint(town, topic.name()) {
        ctx.ui.status(&format!(
            "Hint: {} (gt config set --town hints false turns hints off)",
            topic.text()
        ));
    }
}
