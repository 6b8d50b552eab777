//! Formats the agent's role: the role's text, the users' directives, and the agent's home.

use std::path::{Path, PathBuf};

use bd::bead::Bead;
use kit::sys::foreign;
use kit::ui::escape;

use super::foreign::quote_lines;
use super::{ContextPart, PartPointer, PartRoom};
use crate::flow::work::prime::Occasion;
use crate::record::persona::{FoundPersona, find_persona};
use crate::record::polecat::PolecatIds;
use crate::town::Town;
use crate::town::beads::TownStores;
use crate::town::identity::Address;
use crate::town::role_file;

/// A user's instructions to a role: a file of the town or of a rig.
#[derive(Debug, Clone)]
pub(in crate::flow::work::prime) struct RoleDirective {
    path: PathBuf,
    text: String,
    /// True if the file replaces the role's own text.
    replaces: bool,
}

/// The first line of a directive that replaces the role's own text.
const REPLACE_LINE: &str = "mode: replace";

/// Returns the directives for an agent: the town's, then its rig's. An unreadable file becomes a
/// directive that reports the error, because instructions must not be dropped silently, and an
/// agent without any context is worse.
pub(in crate::flow::work::prime) fn read_directives(
    town: &Town,
    address: &Address,
) -> Vec<RoleDirective> {
    let mut folders = vec![town.layout.root().to_owned()];
    folders.extend(address.rig().map(|rig| town.rig(rig).root().to_owned()));
    let name = format!("directives/{}.md", address.role());
    let mut found = Vec::new();
    for path in folders.iter().map(|folder| folder.join(&name)) {
        let text = match foreign::read_small_file(&path) {
            Ok(Some(bytes)) => String::from_utf8_lossy(&bytes).replace("\r\n", "\n"),
            Ok(None) => continue,
            Err(error) => describe_unreadable(&path, &error),
        };
        let (replaces, body) = match text.trim_start().strip_prefix(REPLACE_LINE) {
            Some(rest) if rest.is_empty() || rest.starts_with('\n') => (true, rest),
            _ => (false, text.as_str()),
        };
        let text = body.trim().to_owned();
        if !text.is_empty() {
            found.push(RoleDirective {
                path,
                text,
                replaces,
            });
        }
    }
    found
}

fn describe_unreadable(path: &Path, error: &std::io::Error) -> String {
    let path = path.display();
    format!(
        "There are directives for you in {path}, but they cannot be read ({error}): tell the human."
    )
}

/// Returns the role's own text, or the last directive that replaces it, and the other directives.
pub(in crate::flow::work::prime) fn role_parts(
    town: &Town,
    address: &Address,
    occasion: Occasion,
    directives: &[RoleDirective],
) -> Vec<ContextPart> {
    let replaced = directives.iter().rposition(|directive| directive.replaces);
    let mut parts = Vec::new();
    if replaced.is_none() {
        let source = format!("role text: {}", address.role());
        if occasion == Occasion::Asked && role_file::has_role_file(town, address) {
            let text = format!(
                "# {}\n\nWhat you are is in {} of your folder.\n",
                address.display_name(),
                role_file::NAME
            );
            parts.push(ContextPart::fixed("role", role_file::NAME, text));
            return parts;
        }
        // A program with hooks runs the command automatically.
        let text: String = role_file::role_text(address.role())
            .trim_end()
            .lines()
            .filter(|line| !occasion.is_hook() || !line.contains("run `gt prime` again"))
            .map(|line| format!("{line}\n"))
            .collect();
        parts.push(ContextPart::fixed("role", source, text));
    }
    for directive in &directives[replaced.unwrap_or(0)..] {
        let source = directive.path.display().to_string();
        let part = ContextPart::fixed("directive", source, format!("{}\n", directive.text));
        parts.push(part.with_room(PartRoom {
            most: 3 * 1024,
            least: 256,
            rank: 1,
            pointer: PartPointer::Source,
        }));
    }
    parts
}

/// Returns the user's text for this one worker. It is text: unlike a directive it replaces nothing.
pub(in crate::flow::work::prime) fn persona_part(
    town: &Town,
    stores: &TownStores,
    address: &Address,
) -> Option<ContextPart> {
    let Address::Polecat(rig, name) = address else {
        return None;
    };
    let rig = town.rig(rig);
    let agent = PolecatIds::for_polecat(&rig, name).agent;
    let agent = stores.rigs.get(rig.name())?.get_live(&agent)?;
    let (path, text) = match find_persona(&rig, name, agent) {
        FoundPersona::None => return None,
        FoundPersona::Valid { path, text } => (path, text),
        FoundPersona::Changed { path, why } => {
            let shown = path.display();
            let text = format!(
                "You have a persona in {shown}, but it is not used ({}): tell the human.",
                escape::escape_line(&why)
            );
            (path, text)
        }
    };
    let text = format!(
        "# Your persona\n\nThe user hired you with this text:\n\n{}\n",
        escape::escape_block(text.trim())
    );
    let part = ContextPart::fixed("persona", path.display().to_string(), text);
    Some(part.with_room(PartRoom {
        most: 2 * 1024,
        least: 256,
        rank: 2,
        pointer: PartPointer::Source,
    }))
}

/// Lists the command patterns that a user forbids for every session, with the same words in a first
/// session and in a follow-up.
pub(in crate::flow::work::prime) fn limits_text_part(
    patterns: &[String],
    origin: &str,
) -> Option<ContextPart> {
    if patterns.is_empty() {
        return None;
    }
    let listed = quote_lines(patterns.iter().map(String::as_str));
    let text = format!(
        "# Blocked commands\n\nNever run a command that contains a blocked pattern, not even in a script. The patterns are:\n\n{listed}"
    );
    Some(ContextPart::fixed("limits", origin, text))
}

/// Says that the forbidden command patterns cannot be read.
pub(in crate::flow::work::prime) fn unreadable_limits_part(error: &str) -> ContextPart {
    let text = format!(
        "# Blocked commands\n\nThe list of blocked commands cannot be read: {}\n\nRun no command that changes \
         anything, and ask for help with `gt escalate`.",
        escape::escape_line(error)
    );
    ContextPart::fixed("limits", "settings that cannot be read", text)
}

/// Describes the agent's identity and place.
pub(in crate::flow::work::prime) fn identity_part(town: &Town, address: &Address) -> ContextPart {
    let home = crate::town::agent_home(town, address);
    let mut text = format!(
        "# You are {}\n\n- address: {address}\n",
        address.display_name()
    );
    text.push_str(&format!(
        "- town: {}\n- folder: {}\n",
        town.layout.root().display(),
        home.display()
    ));
    if let Some(rig) = address.rig() {
        text.push_str(&format!(
            "- rig: {rig} (beads: {}-*)\n",
            town.prefix_of_rig(rig)
        ));
    }
    ContextPart::fixed("identity", "address and layout", text)
}

/// Returns the whole text for a session that still has its earlier context.
pub(in crate::flow::work::prime) fn resumed_part(
    address: &Address,
    hook: Option<&Bead>,
) -> ContextPart {
    let work = match hook {
        Some(bead) => format!(
            "Your work is still {} \"{}\": look at `git status` and `git log`, and go on.",
            bead.id,
            escape::escape_line(&bead.title)
        ),
        None => "No work is on your hook.".to_owned(),
    };
    let text = format!(
        "You are {} ({address}), back in a session that has its context already. {work}\n",
        address.display_name()
    );
    ContextPart::fixed("resumed", "address and hook", text)
}
