use std::io::{IsTerminal as _, Write};
use std::path::Path;

use anyhow::Context as _;

use crate::context::Context;
use bd::bead::Bead;
use bd::change::{self, BeadEdit, ChangeError};
use bd::git::editor;
use kit::cli::report::{CommandResult, build_confirmation, build_report};
use kit::failure::UsageError;
use kit::sys::env::temp_dir;
use kit::sys::exec::ChildCommand;

/// Edit a text of a bead in your editor
///
/// The editor is the one that git uses: GIT_EDITOR, git's setting core.editor, VISUAL, EDITOR, else
/// vi. An editor of the terminal is refused without one. Nothing is written if the text is unchanged. If another writer changed the text in the
/// meantime, nothing is written either, and the error names the file with your text.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "one flag per text")]
pub(crate) struct Args {
    /// The bead
    #[arg(value_name = "ID")]
    id: String,
    /// Edit the title
    #[arg(long)]
    title: bool,
    /// Edit the description (the default)
    #[arg(long, conflicts_with = "title")]
    description: bool,
    /// Edit the design
    #[arg(long, conflicts_with_all = ["title", "description"])]
    design: bool,
    /// Edit the notes
    #[arg(long, conflicts_with_all = ["title", "description", "design"])]
    notes: bool,
    /// Edit the acceptance criteria
    #[arg(long, conflicts_with_all = ["title", "description", "design", "notes"])]
    acceptance: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextField {
    Title,
    Description,
    Design,
    Notes,
    Acceptance,
}

impl TextField {
    fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Description => "description",
            Self::Design => "design",
            Self::Notes => "notes",
            Self::Acceptance => "acceptance criteria",
        }
    }

    /// The flag of `bd update` that writes the text.
    fn flag(self) -> &'static str {
        match self {
            Self::Title => "--title",
            Self::Description => "--description",
            Self::Design => "--design",
            Self::Notes => "--notes",
            Self::Acceptance => "--acceptance",
        }
    }

    fn text(self, bead: &Bead) -> &str {
        match self {
            Self::Title => &bead.title,
            Self::Description => &bead.description,
            Self::Design => &bead.design,
            Self::Notes => &bead.notes,
            Self::Acceptance => &bead.acceptance_criteria,
        }
    }

    fn edit(self, text: String) -> BeadEdit {
        let mut edit = BeadEdit::default();
        let place = match self {
            Self::Title => &mut edit.title,
            Self::Description => &mut edit.description,
            Self::Design => &mut edit.design,
            Self::Notes => &mut edit.notes,
            Self::Acceptance => &mut edit.acceptance_criteria,
        };
        *place = Some(text);
        edit
    }
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    ctx.check_writable("edit")?;
    let field = match args {
        Args { title: true, .. } => TextField::Title,
        Args { design: true, .. } => TextField::Design,
        Args { notes: true, .. } => TextField::Notes,
        Args {
            acceptance: true, ..
        } => TextField::Acceptance,
        _ => TextField::Description,
    };
    let store = ctx.store_for_id(&args.id)?;
    let bead = store.snapshot()?.resolve(&args.id)?.clone();
    let id = bead.id.as_str();
    let editor = editor::choose_editor(&ctx.env);
    if editor::needs_terminal(&editor) && !std::io::stdin().is_terminal() {
        let flag = field.flag();
        kit::bail_usage!(
            "the editor {editor} needs a terminal, and there is none; nothing was written. \
             Without an editor:\n  bd update {id} {flag} TEXT"
        );
    }
    let old = field.text(&bead);
    let mut file = tempfile::Builder::new()
        .prefix("bead-")
        .suffix(".md")
        .tempfile_in(temp_dir())
        .context("cannot make a file for the editor")?;
    let ending = if old.is_empty() || old.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    write!(file, "{old}{ending}").context("cannot write the file for the editor")?;
    // Editors replace files, so only the path is reliable from here on.
    let path = file.into_temp_path();
    let written = edit_file(ctx, &editor, &path).and_then(|()| read_back(&path, field, old));
    let new = match written {
        Ok(new) if new == old => {
            let report = kit::report_value! { id: bead.id, changed: false };
            return build_report(report, move |report, page| {
                page.line(format!(
                    "No changes to the {} of {}",
                    field.name(),
                    report.id
                ));
            });
        }
        Ok(new) => new,
        Err(error) => return Err(keep_edit_file(path, error, old)),
    };
    let saved = store.transact(&ctx.author(), &ctx.clock, |tx| {
        let now = tx
            .get_live(id)
            .ok_or_else(|| ChangeError::NotFound(id.to_owned()))?;
        if field.text(now) != old {
            let name = field.name();
            kit::bail_usage!(
                "the {name} of {id} was changed while you edited it; nothing was written"
            );
        }
        Ok(change::update_bead(tx, id, field.edit(new))?)
    });
    if let Err(error) = saved {
        return Err(keep_edit_file(path, error, old));
    }
    ctx.set_last_touched(id);
    let report = kit::report_value! { id: bead.id, changed: true };
    build_confirmation(report, move |report, page| {
        page.line(format!("✓ Updated the {} of {}", field.name(), report.id));
    })
}

/// Runs the editor on a file. As in git, the setting is a shell command with the path as its
/// argument.
fn edit_file(ctx: &Context, editor: &str, path: &Path) -> anyhow::Result<()> {
    let status = ChildCommand::new("sh")
        .args(["-c", &format!("{editor} \"$@\""), editor])
        .arg(path)
        .cwd(ctx.env.cwd())
        .run_attached()?;
    if status.success() {
        return Ok(());
    }
    Err(UsageError(format!("the editor failed: {editor}; nothing was written")).into())
}

/// Reads the edited text, without the newline that was added for the editor.
fn read_back(path: &Path, field: TextField, old: &str) -> anyhow::Result<String> {
    let mut text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    if field == TextField::Title {
        let title = text.trim();
        if title.is_empty() || title.contains('\n') {
            kit::bail_usage!("a title is one line of text; nothing was written");
        }
        return Ok(title.to_owned());
    }
    if !old.ends_with('\n') {
        text.truncate(text.trim_end_matches('\n').len());
    }
    Ok(text)
}

/// Keeps the file of a failed edit and names the file in the error, unless it still has the old
/// text.
fn keep_edit_file(path: tempfile::TempPath, error: anyhow::Error, old: &str) -> anyhow::Error {
    let text = std::fs::read_to_string(&path);
    if text.is_ok_and(|text| text.trim_end() == old.trim_end()) {
        return error;
    }
    match path.keep() {
        Ok(kept) => {
            let message = bd::error::describe_failure(&error).message;
            UsageError(format!("{message}. Your text is in {}", kept.display())).into()
        }
        Err(_) => error,
    }
}
