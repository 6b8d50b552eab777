//! Reports what a town of the original contains: the parts that are used unchanged, the parts that
//! have no effect here, and the parts that need the user.

use bd::bead::{Kind, Status};
use bd::formula::find::FormulaSearchPath;
use bd::store::{BeadMark, BeadRef, Snapshot, paths};
use kit::ui::counted;
use serde::Serialize;

use crate::host::LiveTown;
use crate::host::tmux::list_default_sessions;
use crate::record::{convoy, merge_request, polecat};
use crate::town::Rig;
use crate::town::config::{FaultEffect, SettingsLayers};
use crate::town::identity::SessionName;

/// The outcome for one part of a town.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MigrationState {
    /// Used unchanged.
    Used,
    /// Kept in its file, without effect.
    Ignored,
    /// The user must act.
    Problem,
}

/// One part of a town.
#[derive(Debug, Clone, Serialize)]
pub struct MigrationItem {
    /// The kind of part: `beads`, `agents`, `work`, `mail`, `convoys`, `queue`, `settings`, `files`
    /// or `sessions`.
    pub area: &'static str,
    pub state: MigrationState,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Files of a town of the original, with the effect that they have here. An empty text means that
/// the file is used.
const TOWN_FILES: &[(&str, &str)] = &[
    ("mayor/daemon.json", ""),
    ("mayor/overseer.json", ""),
    ("settings/agents.json", ""),
    ("settings/escalation.json", ""),
    ("config/messaging.json", ""),
    (
        "mayor/config.json",
        "the mayor's defaults of themes and intervals are not used",
    ),
    (
        "mayor/CLAUDE.md",
        "`gt prime` prints the mayor's text; the program still reads this file as well",
    ),
    (
        "hooks/registry.toml",
        "hooks of agents are those of `gt hooks`; executables in hooks/ run at events",
    ),
    (
        ".feed.jsonl",
        "`gt feed` reads .events.jsonl, which continues",
    ),
    (
        ".claude/commands",
        "slash commands stay as the program finds them",
    ),
];

/// Reads a town and reports on each of its parts. Changes nothing.
pub fn read_migration(town: &LiveTown) -> anyhow::Result<Vec<MigrationItem>> {
    let mut page = MigrationPage(Vec::new());
    report_sql(town, &mut page);
    let stores = match town.read_stores() {
        Ok(stores) => stores,
        // A rig that cannot be read is in the result.
        Err(error) => {
            let text = format!("the town: {error:#}");
            page.problem("beads", text, "the rest can be read after that");
            return Ok(page.0);
        }
    };
    report_beads("the town", &stores.town, &mut page);
    for (rig, error) in &stores.unreadable {
        page.problem("beads", format!("rig {rig}: {error}"), "see above");
    }
    for (rig, beads) in &stores.rigs {
        report_beads(&format!("rig {rig}"), beads, &mut page);
        report_rig(&town.rig(rig), beads, &mut page);
    }
    report_messages(&stores.town, &mut page);
    report_settings(town, None, &mut page);
    for rig in town.list_rigs()? {
        report_settings(town, Some(&rig), &mut page);
    }
    report_files(town, &mut page);
    report_sessions(town, &mut page)?;
    Ok(page.0)
}

struct MigrationPage(Vec<MigrationItem>);

impl MigrationPage {
    fn add(&mut self, area: &'static str, state: MigrationState, text: String, hint: &str) {
        let hint = (!hint.is_empty()).then(|| hint.to_owned());
        self.0.push(MigrationItem {
            area,
            state,
            text,
            hint,
        });
    }

    fn used(&mut self, area: &'static str, text: impl Into<String>) {
        self.add(area, MigrationState::Used, text.into(), "");
    }

    fn ignored(&mut self, area: &'static str, text: impl Into<String>, hint: &str) {
        self.add(area, MigrationState::Ignored, text.into(), hint);
    }

    fn problem(&mut self, area: &'static str, text: impl Into<String>, hint: &str) {
        self.add(area, MigrationState::Problem, text.into(), hint);
    }
}

/// Reports beads that live in a database server, with the way to export them.
fn report_sql(town: &LiveTown, page: &mut MigrationPage) {
    // A registry that cannot be read is reported with the stores.
    let mut homes = vec![("the town".to_owned(), town.layout.beads())];
    for rig in town.list_rigs().into_iter().flatten() {
        homes.push((format!("rig {}", rig.name()), rig.beads()));
    }
    for (owner, folder) in homes {
        let Some(backend) = paths::find_sql_backend(&folder) else {
            continue;
        };
        let file = folder.join("issues.jsonl");
        let hint = format!(
            "with the original's programs: `bd export -o {}`; then `gt migrate` again",
            file.display()
        );
        if file.is_file() {
            let text = format!(
                "{owner}: the original keeps its beads in {backend}; {} may be older than they are",
                file.display()
            );
            page.problem("beads", text, &hint);
        } else {
            let text = format!("{owner}: its beads are in {backend}, and in no file");
            page.problem("beads", text, &hint);
        }
    }
}

fn report_beads(owner: &str, beads: &Snapshot, page: &mut MigrationPage) {
    page.used(
        "beads",
        format!("{owner}: {}", counted(beads.live_count(), "bead")),
    );
    for damaged in beads.damaged() {
        let text = format!(
            "{owner}: {}:{} cannot be read: {}",
            damaged.file.display(),
            damaged.line,
            damaged.reason
        );
        page.problem(
            "beads",
            text,
            "the line is kept unchanged; correct it by hand, and everything else works",
        );
    }
}

fn report_rig(rig: &Rig, beads: &Snapshot, page: &mut MigrationPage) {
    let name = rig.name();
    if rig.repo().is_dir() {
        page.used("files", format!("rig {name}: its repository and clones"));
    } else {
        let text = format!("rig {name}: {} is missing", rig.repo().display());
        page.problem("files", text, "gt doctor says how to restore a rig");
    }
    let polecats = polecat::list_polecats(rig, beads, None);
    let members = std::fs::read_dir(rig.crew_folder()).into_iter().flatten();
    let crew = members
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .count();
    page.used(
        "agents",
        format!(
            "rig {name}: {}, {} of the crew",
            counted(polecats.len(), "polecat"),
            counted(crew, "member")
        ),
    );
    let hooked: Vec<&str> = beads
        .select_marked(&[BeadMark::Status(&Status::Hooked)], BeadRef::is_open)
        .map(|bead| bead.id.as_str())
        .collect();
    if !hooked.is_empty() {
        page.used(
            "work",
            format!("rig {name}: on hooks: {}", hooked.join(", ")),
        );
    }
    let requests = merge_request::open_requests(beads);
    if !requests.is_empty() {
        let text = format!(
            "rig {name}: {}",
            counted(requests.len(), "open merge request")
        );
        page.used("queue", text);
    }
    for request in requests {
        let branch = merge_request::receipt_of(request).branch;
        let places = [
            format!("refs/heads/{branch}"),
            format!("refs/remotes/origin/{branch}"),
        ];
        if !branch.is_empty()
            && !places
                .iter()
                .any(|place| rig.git().resolve(place).ok().flatten().is_some())
        {
            let text = format!(
                "rig {name}: the branch {branch} of {} is missing",
                request.id
            );
            page.problem("queue", text, "gt mq list shows the request");
        }
    }
}

fn report_messages(beads: &Snapshot, page: &mut MigrationPage) {
    let marks = [
        BeadMark::Kind(&Kind::Message),
        BeadMark::Label("gt:message"),
    ];
    let kept = beads.select_marked(&marks, BeadRef::is_open).count();
    page.used("mail", counted(kept, "open message"));
    let all = convoy::list_convoys(beads, true);
    let open = all.iter().filter(|convoy| convoy.is_open()).count();
    page.used(
        "convoys",
        format!("{}, {open} of them open", counted(all.len(), "convoy")),
    );
}

/// Reports the keys of a settings file that have no effect, and those that stop the rig.
fn report_settings(town: &LiveTown, rig: Option<&Rig>, page: &mut MigrationPage) {
    let layers = match SettingsLayers::load(town, rig) {
        Ok(layers) => layers,
        Err(error) => {
            let hint = "fix the syntax error: the settings must be valid JSON";
            return page.problem("settings", error.to_string(), hint);
        }
    };
    let path = rig.map_or_else(|| town.layout.settings(), |rig| rig.settings());
    if path.is_file() {
        page.used("settings", path.display().to_string());
    }
    for fault in layers
        .find_faults(rig.map(|rig| &**rig))
        .into_iter()
        .filter(|fault| fault.error.is_in(&path))
    {
        let text = fault.error.to_string();
        if fault.effect == FaultEffect::Stop {
            let hint = "nothing is started or merged before the settings are correct";
            page.problem("settings", text, hint);
        } else {
            page.ignored("settings", text, "");
        }
    }
}

fn report_files(town: &LiveTown, page: &mut MigrationPage) {
    for (name, no_effect) in TOWN_FILES {
        match no_effect {
            _ if !town.layout.root().join(name).exists() => {}
            &"" => page.used("files", *name),
            _ => page.ignored("files", *name, no_effect),
        }
    }
    let formulas = FormulaSearchPath {
        folders: vec![town.layout.beads().join("formulas")],
        ..FormulaSearchPath::default()
    };
    for formula in formulas.load_all() {
        let file = format!(".beads/formulas: {}", formula.name);
        match formula.loaded {
            Ok(_) => page.used("files", file),
            Err(error) => {
                let hint = "`bd formula validate` shows each problem";
                page.problem("files", format!("{file}: {error}"), hint);
            }
        }
    }
}

/// Reports sessions of the original's agents. They run on the user's own tmux server.
fn report_sessions(town: &LiveTown, page: &mut MigrationPage) -> anyhow::Result<()> {
    let rigs = town.list_rigs()?;
    let sessions: Vec<String> = list_default_sessions(&town.env)
        .into_iter()
        .filter(|name| {
            SessionName::parse_address(name, rigs.iter().map(|rig| rig.name())).is_some()
        })
        .collect();
    if !sessions.is_empty() {
        let text = format!("the original's agents still run: {}", sessions.join(", "));
        let hint = "`gt down --all` of the original ends them; until then two agents may work in one worktree";
        page.problem("sessions", text, hint);
    }
    Ok(())
}
