//! Asks questions on the terminal.

use std::io::{self, IsTerminal};

use gt::host::jail::{JailChoice, choose_backend};
use kit::ui::escape;

use crate::context::Context;

/// Returns true if questions can be asked: a user reads them and can answer.
pub(crate) fn can_ask(ctx: &Context) -> bool {
    ctx.ui.is_terminal() && io::stdin().is_terminal()
}

/// Asks for a line. Returns an empty text for the default.
pub(crate) fn ask_line(ctx: &Context, question: &str) -> anyhow::Result<String> {
    ctx.ui.status(question);
    let mut answer = String::new();
    anyhow::ensure!(
        io::stdin().read_line(&mut answer)? > 0,
        "the input has ended: nothing was made"
    );
    Ok(answer.trim().to_owned())
}

/// Asks a question that is answered with yes or no.
pub(crate) fn ask_yes_no(ctx: &Context, question: &str, default: bool) -> anyhow::Result<bool> {
    let choices = if default { "[Y/n]" } else { "[y/N]" };
    loop {
        match ask_line(ctx, &format!("{question} {choices}"))?
            .to_lowercase()
            .as_str()
        {
            "" => return Ok(default),
            "y" | "yes" => return Ok(true),
            "n" | "no" => return Ok(false),
            _ => ctx.ui.status("Answer y or n."),
        }
    }
}

/// Asks whether the commands of a repository run in a jail, if this machine can build one.
pub(crate) fn ask_jail(ctx: &Context) -> anyhow::Result<bool> {
    let backend = match choose_backend(&ctx.env) {
        JailChoice::Works(backend) => backend.name(),
        JailChoice::Missing { reason } => {
            let reason = escape::escape_line(&reason);
            ctx.ui.warn(&format!(
                "this machine cannot build a jail for gates: {reason}"
            ));
            return Ok(false);
        }
    };
    let question = format!(
        "Run gates and setup commands of the repository in a jail? They then reach only their tree, \
         not your home folder and keys ({backend} works here)."
    );
    ask_yes_no(ctx, &question, true)
}
