//! Checks that the program of each gate exists, because a gate that cannot run stops every merge,
//! and reports the gates of beads that do not open.

use kit::sys::ChildCommand;

use super::{CheckFindings, list_readable_rigs};
use crate::host::LiveTown;
use crate::patrol::attention;
use crate::record::town_view::TownView;
use crate::town::config::{Gate, RigSettings};

pub(super) fn check_gates(town: &LiveTown, page: &mut CheckFindings) {
    for rig in list_readable_rigs(town) {
        let name = rig.name();
        // The check of the rigs reports settings that are not valid.
        let settings = RigSettings::load(&rig);
        let Ok(groups) = settings.and_then(|settings| settings.gates(&rig)) else {
            continue;
        };
        let before = page.all.len();
        let gates: Vec<&Gate> = groups.iter().flatten().collect();
        for gate in &gates {
            if let Some(program) = find_missing_program(town, &gate.command) {
                let text = format!(
                    "rig {name}: the gate {} cannot run: `{program}` is not installed",
                    gate.name
                );
                page.error(
                    text,
                    "install it, or change the gate; nothing merges before that",
                );
            }
        }
        if gates.is_empty() {
            let text = format!("rig {name} has no gate: work is merged untested");
            page.note(
                text,
                "gt config set --rig RIG merge_queue.test_command COMMAND",
            );
        }
        page.ok_unless(
            before,
            format!("rig {name}: the programs of its gates exist"),
        );
    }
    check_bead_gates(town, page);
}

/// Reports the gates of beads that do not open without a user.
fn check_bead_gates(town: &LiveTown, page: &mut CheckFindings) {
    // The check of the beads reports stores that cannot be read.
    let Ok(view) = TownView::read(town) else {
        return;
    };
    for item in attention::gate_items(&town.layout, &view)
        .into_iter()
        .filter(|item| item.is_due(view.now))
    {
        let hint = item.next.first().map_or("gt status", String::as_str);
        page.warn(format!("{}: {}", item.subject, item.text), hint);
    }
}

/// Returns the first word of a command line, if it is the plain name of a program that the shell
/// does not find. A path may be in the tree that the gate runs in.
fn find_missing_program(town: &LiveTown, command: &str) -> Option<String> {
    let word = command.split_whitespace().next()?;
    let is_plain = word
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"_.+-".contains(&byte));
    if !is_plain {
        return None;
    }
    let mut exec = ChildCommand::new("sh").args(["-c", "command -v -- \"$1\"", "sh", word]);
    if let Some(path) = town.env.get("PATH") {
        exec = exec.env("PATH", path);
    }
    let found = exec.run().ok()?;
    (!found.is_success()).then(|| word.to_owned())
}
