//! `gt dashboard`.

use anyhow::Context as _;
use gt::host::daemon::protocol::{DaemonAnswer, DaemonRequest};
use gt::host::daemon::{ask_daemon, is_daemon_running};
use gt::record::page_browsers::SavedPage;
use gt::town::Town;
use kit::sys::ChildCommand;
use kit::ui::counted;
use serde::Serialize;

use super::{CommandResult, build_report};
use crate::context::Context;

/// Show the town in a browser
///
/// The daemon serves the page on the loopback address, from the first use of this command (with
/// `page.url` set, from its start). The link is valid once, for five minutes, and gives its browser
/// access for a day, also after the daemon was started again. The page only reads, unless the link was
/// printed with `--act`, and then until the daemon ends. `--revoke` ends the access of all browsers.
/// `gt top` shows the same in a terminal. With `--json` {url, port, act}, with `--revoke` {revoked}.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The port; without it that of the setting page.port, else any free one
    #[arg(long, default_value = "0", hide_default_value = true)]
    port: u16,
    /// Allow the page to change the town: answer, write, retry, reject, park, settings
    #[arg(long)]
    act: bool,
    /// Open the page in the browser of this machine
    #[arg(long)]
    open: bool,
    /// Print how to reach the page from another machine by ssh
    #[arg(long)]
    share: bool,
    /// End the access of all browsers and void unused links
    #[arg(long, conflicts_with_all = ["port", "act", "open", "share"])]
    revoke: bool,
}

#[derive(Serialize)]
struct Dashboard {
    url: String,
    port: u16,
    act: bool,
}

pub(super) fn run(ctx: &Context, args: Args) -> CommandResult {
    let town = ctx.open_town()?;
    if args.revoke {
        return revoke_access(&town);
    }
    anyhow::ensure!(
        is_daemon_running(&town.layout),
        "the daemon serves the page, and it does not run: start it with `gt up`, or see the town \
         with `gt top`"
    );
    let request = DaemonRequest::Page {
        port: args.port,
        act: args.act,
    };
    let answer = ask_daemon(&town, &request).context("the daemon does not answer")?;
    let (port, token) = match answer {
        DaemonAnswer::Page { port, token } => (port, token),
        DaemonAnswer::Error { reason } => anyhow::bail!(
            "the daemon serves no page: {reason} (after an update: `gt daemon stop`, `gt daemon start`)"
        ),
        _ => anyhow::bail!("the daemon gave an answer that is not understood"),
    };
    let url = format!("http://127.0.0.1:{port}/?token={token}");
    if args.open {
        open_browser(&town, &url)?;
    }
    let dashboard = Dashboard {
        url,
        port,
        act: args.act,
    };
    let is_shared = args.share;
    build_report(dashboard, move |dashboard, page| {
        page.line(&dashboard.url);
        if is_shared {
            let port = dashboard.port;
            page.line("From another machine, first:");
            page.line(format!("  ssh -L {port}:127.0.0.1:{port} THIS-MACHINE"));
            page.line("and then open the link there.");
        }
    })
}

/// Ends the access of all browsers. The file goes first: a daemon that starts in between finds none.
fn revoke_access(town: &Town) -> CommandResult {
    let mut revoked = SavedPage::forget(town)?;
    if is_daemon_running(&town.layout) {
        let answer = ask_daemon(town, &DaemonRequest::RevokePage)
            .context("the daemon does not answer, and its page may still be open")?;
        match answer {
            // A daemon on another port knows none of the browsers in the file.
            DaemonAnswer::Revoked { browsers } => revoked = revoked.max(browsers),
            DaemonAnswer::Error { reason } => anyhow::bail!(
                "the page may still be open: {reason} (after an update: `gt daemon stop`, `gt daemon start`)"
            ),
            _ => anyhow::bail!("the daemon gave an answer that is not understood"),
        }
    }
    let data = serde_json::json!({ "revoked": revoked });
    build_report(data, move |_, page| {
        page.line(match revoked {
            0 => "No browser had access to the page.".to_owned(),
            revoked => format!(
                "{} can no longer use the page.",
                counted(revoked, "browser")
            ),
        });
        page.line("A new link:");
        page.line("  gt dashboard");
    })
}

/// Opens a file that leads to the link: other users of the machine see the arguments of programs.
fn open_browser(town: &Town, url: &str) -> anyhow::Result<()> {
    let file = town.layout.runtime().join("dashboard.html");
    let text = format!("<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={url}\">\n");
    kit::sys::file::replace_file_relaxed(&file, text.as_bytes(), 0o600)?;

    let program = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let opened = ChildCommand::new(program).arg(&file).run();
    let opened = opened.with_context(|| format!("{program} cannot be run: open {url} yourself"))?;
    anyhow::ensure!(
        opened.is_success(),
        "{program} opened no browser: open {url} yourself"
    );
    Ok(())
}
