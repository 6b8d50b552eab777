use serde_json::json;

use crate::context::Context;
use kit::cli::report::{CommandResult, ExitReport, TextReport};

/// Check that each setting has a valid value
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(super) fn run(ctx: &Context) -> CommandResult {
    ctx.project()?;
    let problems = ctx.config.find_problems();
    let is_valid = problems.is_empty();
    let value = json!({"valid": is_valid, "problems": problems});
    let lines = if is_valid {
        vec!["Each setting has a value that it takes".to_owned()]
    } else {
        problems
    };
    ExitReport::with(u8::from(!is_valid), TextReport::lines(value, lines))
}
