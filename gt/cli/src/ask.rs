//! Asks questions on the terminal.

use std::io::{self, IsTerminal};

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
