use std::io::{self, BufRead};

use super::create;
use crate::context::Context;
use kit::cli::report::CommandResult;

/// Create a bead by answering questions
///
/// Each question is answered by a line; an empty line takes the default. Answers may come from a
/// pipe, too.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

/// The questions and their defaults.
const FORM_QUESTIONS: [(&str, &str); 7] = [
    ("Title", ""),
    ("Type", "task"),
    ("Priority", "2"),
    ("Assignee", ""),
    ("Labels (a,b)", ""),
    ("Depends on (ids)", ""),
    ("Description", ""),
];

pub(super) fn run(ctx: &Context, _args: Args) -> CommandResult {
    ctx.check_writable("create-form")?;
    kit::gateway::prepare_input();
    let mut lines = io::stdin().lock().lines();
    let mut answers: [String; 7] = Default::default();
    for (slot, (question, default)) in answers.iter_mut().zip(FORM_QUESTIONS) {
        let default_part = match default {
            "" => String::new(),
            default => format!(" [{default}]"),
        };
        ctx.ui.status(&format!("{question}{default_part}:"));
        let line = lines.next().transpose()?.unwrap_or_default();
        let answer = line.trim();
        if answer.is_empty() && question == "Title" {
            kit::bail_usage!("title required; nothing was created");
        }
        *slot = if answer.is_empty() { default } else { answer }.to_owned();
    }
    create::run(ctx, create::Args::from_form_answers(answers))
}
