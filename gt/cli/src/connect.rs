//! `gt connect`.

use std::path::Path;

use kit::failure::UsageError;
use kit::sys::{ChildCommand, RandomSource};
use kit::ui::escape::quote_for_shell;

use super::{CommandResult, build_report_with_exit};
use crate::context::{Context, record_refused_command};
use gt::flow::agent::connect::serve_member;
use gt::flow::place::crew;
use gt::host::far::{build_ssh_pipe, quote_remote_path};
use gt::host::member::{MemberPlace, connect_member, find_clone};
use gt::host::socket_folder::find_socket_folder;
use gt::town::permission::find_permission_name;

/// The lengths of the random name of a socket, and of the token of a member.
const NAME_LENGTH: usize = 10;
const TOKEN_LENGTH: usize = 32;

/// Work here as a crew member of a town elsewhere
///
/// Runs a shell, or the command after `--`, in which `gt` and `bd` are those of the town on HOST, with
/// the identity and the permissions of the crew member. The member must exist there (`gt crew add`).
/// `gt done` hands in the checked-out branch of the clone around the working directory: its commits
/// travel over the connection, and the town pushes and merges them. Nothing else of this machine
/// is read. The connection is made again after a cut.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The machine of the town, a name that ssh knows
    #[arg(required_unless_present = "serve", value_name = "HOST")]
    machine: Option<String>,
    /// The crew member: RIG/NAME
    #[arg(long = "as", value_name = "MEMBER", required_unless_present = "serve")]
    member: Option<String>,
    /// The folder of the town there, if it is not the home folder
    #[arg(long, value_name = "DIR")]
    town: Option<String>,
    /// The program gt there, if it is not on PATH
    #[arg(long, value_name = "PATH", default_value = "gt")]
    program: String,
    /// Serve a member over the standard input and output
    #[arg(long, hide = true, value_name = "MEMBER", conflicts_with_all = ["machine", "member"])]
    serve: Option<String>,
    /// The command to run (default: your shell)
    #[arg(last = true, value_name = "CMD")]
    command: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    if let Some(member) = &args.serve {
        let town = match &args.town {
            Some(folder) => ctx.open_town_at(&ctx.env.make_absolute(folder)),
            None => ctx.open_town()?,
        };
        let (rig, name) = crew::find_member(&town, None, member)?;
        serve_member(&town, &rig, &name, |town, command| {
            record_refused_command(town, command, find_permission_name(command));
        })?;
        return build_report_with_exit(0, (), |(), _| {});
    }
    let env = &ctx.env;
    let Some(clone) = find_clone(env.cwd()) else {
        let text = "the working directory is in no clone of git: change to yours first";
        return Err(UsageError(text.to_owned()).into());
    };
    let random = RandomSource::choose(None);
    let id = random.hex(NAME_LENGTH);
    let data = env.folder_named_by("XDG_DATA_HOME", "~/.local/share");
    let place = MemberPlace {
        clone,
        command: build_ssh_command(&args)?,
        socket: find_socket_folder(env).join(format!("member-{id}")),
        packs: data.join("gastown/member"),
        token: random.hex(TOKEN_LENGTH),
    };
    let shell = env.get("SHELL").unwrap_or("/bin/sh").to_owned();
    let words = if args.command.is_empty() {
        vec![shell]
    } else {
        args.command
    };
    let exit = connect_member(place, |variables| {
        ctx.ui.status(&format!(
            "connected as {}; the connection ends with {}",
            args.member.as_deref().unwrap_or(""),
            Path::new(&words[0]).display()
        ));
        let child = ChildCommand::new(&words[0]).args(&words[1..]);
        let with_identity = variables
            .iter()
            .fold(child, |child, (name, value)| child.env(name, value));
        let status = with_identity.run_attached()?;
        Ok(status.code().unwrap_or(1))
    })?;
    build_report_with_exit(u8::try_from(exit).unwrap_or(1), (), |(), _| {})
}

/// Returns the command whose standard input and output are the pipe to the town.
fn build_ssh_command(args: &Args) -> Result<Vec<String>, UsageError> {
    let host = args.machine.as_deref().unwrap_or("");
    if host.is_empty() || host.starts_with('-') {
        return Err(UsageError(format!("`{host}` is no name of a host for ssh")));
    }
    let member = args.member.as_deref().unwrap_or("");
    let mut words = vec![quote_remote_path(&args.program), "connect".to_owned()];
    words.push(quote_for_shell(&format!("--serve={member}")));
    if let Some(town) = &args.town {
        words.extend(["--town".to_owned(), quote_remote_path(town)]);
    }
    let line = words.join(" ");
    Ok(build_ssh_pipe(host, &line))
}
