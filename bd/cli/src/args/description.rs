//! The long text of a bead, from a flag, a file or standard input.

use clap::Args;

use crate::context::Context;
use kit::failure::UsageError;

use super::{read_input_file, read_stdin};

/// The texts of a bead that `create` and `update` both take.
#[derive(Debug, Default, Args)]
pub(crate) struct DescriptionArgs {
    /// The description; `-` reads standard input
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    description: Option<String>,
    #[arg(long, hide = true, allow_hyphen_values = true)]
    body: Option<String>,
    #[arg(short, long, hide = true, allow_hyphen_values = true)]
    message: Option<String>,
    /// Read the description from a file; `-` is standard input
    #[arg(long, value_name = "PATH", alias = "description-file", conflicts_with_all = ["description", "body", "message"])]
    body_file: Option<String>,
    /// Read the description from standard input
    #[arg(long, conflicts_with = "body_file")]
    stdin: bool,
}

impl DescriptionArgs {
    pub(crate) fn from_text(text: String) -> Self {
        Self {
            description: Some(text),
            ..Self::default()
        }
    }

    /// Returns the text, or `None` if no flag is set.
    pub(crate) fn read(&self, ctx: &Context) -> anyhow::Result<Option<String>> {
        if let Some(path) = &self.body_file {
            return read_input_file(ctx, path).map(Some);
        }
        if self.stdin {
            return read_stdin().map(Some);
        }
        let mut given: Vec<&String> = [&self.description, &self.body, &self.message]
            .into_iter()
            .flatten()
            .collect();
        given.dedup();
        match given.as_slice() {
            [] => Ok(None),
            [text] if *text == "-" => read_stdin().map(Some),
            [text] => Ok(Some((*text).clone())),
            _ => Err(UsageError(
                "cannot specify different descriptions with --description, --body and --message"
                    .into(),
            )
            .into()),
        }
    }
}
