//! Shows new messages to the overseer on the desktop, with `notify-send`, if the daemon runs in a
//! desktop session.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use gt::record::mail::{self, MailMessage};
use gt::record::notification_level::{NotificationLevel, load_level};
use gt::town::Town;
use gt::town::config::SettingsLayers;
use gt::town::identity::Address;
use kit::sys::ChildCommand;
use kit::ui::counted;
use kit::ui::cut::cut_to_width;
use kit::ui::escape::escape_line;

/// Variables of which a desktop session sets at least one.
const DESKTOP_VARIABLES: [&str; 3] = ["WAYLAND_DISPLAY", "DISPLAY", "DBUS_SESSION_BUS_ADDRESS"];
/// The number of messages that are shown one by one.
const MAX_SINGLE_NOTICES: usize = 3;
/// The maximum width of a shown text.
const MAX_TEXT_WIDTH: usize = 200;
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(5);

/// The messages that the desktop has shown.
#[derive(Debug)]
pub(crate) struct DesktopNotices {
    /// `notify-send`. None without it or without a desktop.
    program: Option<PathBuf>,
    /// The ids of the messages that were there before, and of those shown since. None before the
    /// first look.
    seen: Option<BTreeSet<String>>,
}

impl DesktopNotices {
    pub(crate) fn new(town: &Town) -> Self {
        let env = &town.env;
        let is_desktop = DESKTOP_VARIABLES
            .iter()
            .any(|variable| env.get(variable).is_some());
        let program = is_desktop
            .then(|| which::which_in("notify-send", env.get("PATH"), env.cwd()).ok())
            .flatten();
        Self {
            program,
            seen: None,
        }
    }

    /// Shows the unread messages that came since the last call. A failure is only logged, because
    /// the messages are in the mailbox.
    pub(crate) fn show_new(&mut self, town: &Town) {
        let Some(program) = self.program.clone() else {
            return;
        };
        let Ok(beads) = town
            .open_town_store()
            .and_then(|store| Ok(store.snapshot()?))
        else {
            return;
        };
        let inbox = mail::list_inbox(&beads, &Address::Overseer.mailbox());
        let unread: Vec<MailMessage> = inbox.into_iter().filter(|mail| !mail.read).collect();
        let ids: BTreeSet<String> = unread.iter().map(|mail| mail.id.clone()).collect();
        let Some(seen) = self.seen.replace(ids) else {
            return;
        };
        let new: Vec<&MailMessage> = unread
            .iter()
            .filter(|mail| !seen.contains(&mail.id))
            .collect();
        if new.is_empty() || !is_wanted(town) {
            return;
        }
        for mail in new.iter().take(MAX_SINGLE_NOTICES) {
            let text = format!("from {}", mail.from);
            let is_urgent = matches!(mail.priority, "urgent" | "high");
            if !send_notice(&program, &mail.subject, &text, is_urgent) {
                // The desktop may be gone: the daemon does not wait for it again.
                self.program = None;
                return;
            }
        }
        if new.len() > MAX_SINGLE_NOTICES {
            let more = counted(new.len() - MAX_SINGLE_NOTICES, "more message");
            send_notice(&program, &more, "gt mail inbox", false);
        }
    }
}

/// Returns false if the user has turned notifications off.
fn is_wanted(town: &Town) -> bool {
    let layers = SettingsLayers::load(town, None);
    layers.map_or(true, |layers| layers.flag("notify.desktop"))
        && load_level(town, &Address::Overseer) != NotificationLevel::Muted
}

/// Shows a text, and returns true if it is shown. The text is data: the title is plain, and markup
/// in the body is escaped.
fn send_notice(program: &std::path::Path, title: &str, text: &str, is_urgent: bool) -> bool {
    let body = shorten(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let urgency = if is_urgent { "critical" } else { "normal" };
    let sent = ChildCommand::new(program)
        .args(["--app-name=Gas Town", "--urgency", urgency, "--"])
        .args([shorten(title), body])
        .limit(PROGRAM_TIMEOUT)
        .run();
    match sent {
        Ok(sent) if sent.is_success() => return true,
        Ok(sent) => tracing::warn!(error = sent.error_text(), "notify-send failed"),
        Err(error) => tracing::warn!(%error, "notify-send failed"),
    }
    false
}

fn shorten(text: &str) -> String {
    cut_to_width(&escape_line(text), MAX_TEXT_WIDTH)
}
