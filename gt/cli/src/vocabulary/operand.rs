//! Fills the placeholders of commands that a refusal offers with the words of the refused line.

use std::ffi::OsString;

use kit::sys::Env;
use kit::ui::escape::quote_for_shell;

use gt::host::LiveTown;
use gt::record::town_view::TownView;
use gt::record::{convoy, escalation};
use gt::town::config::key;
use gt::town::identity::Address;
use gt::town::{RigRegistry, Town};

/// The thing of the town that a word of a command line names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NamedThing {
    Rig(String),
    Agent(Address),
    /// The id of a bead, with the rig that it belongs to by its prefix.
    Bead {
        id: String,
        rig: Option<String>,
    },
}

impl NamedThing {
    /// Finds the thing of a name. Without a town, only the form of an id is known.
    pub(super) fn find(town: Option<&Town>, word: &str) -> Option<Self> {
        let town_rigs = town.and_then(|town| town.read_registry().ok());
        if town_rigs
            .as_ref()
            .is_some_and(|registry| registry.rigs.contains_key(word))
        {
            return Some(Self::Rig(word.to_owned()));
        }
        if let Some(address) = town.and_then(|town| town.parse_agent(word).ok())
            && address != Address::Overseer
        {
            return Some(Self::Agent(address));
        }
        let rig = town_rigs.and_then(|registry| find_rig_by_prefix(&registry, word));
        let has_known_prefix = rig.is_some() || (town.is_some() && word.starts_with("hq-"));
        if !is_bead_id(word, has_known_prefix) {
            return None;
        }
        Some(Self::Bead {
            id: word.to_owned(),
            rig,
        })
    }

    /// Returns the text for a placeholder of a command, if it stands for a thing of this kind.
    fn fill(&self, placeholder: &str) -> Option<String> {
        match (self, placeholder) {
            (Self::Rig(rig), "RIG" | "WHAT") => Some(rig.clone()),
            (Self::Agent(address @ Address::Polecat(..)), "RIG/NAME") => Some(address.to_string()),
            (Self::Agent(address), "AGENT" | "WHAT") => Some(address.to_string()),
            (
                Self::Bead { id, .. },
                "BEAD" | "ID" | "REQUEST" | "CONVOY" | "EPIC" | "WHAT" | "BEADS",
            ) => Some(id.clone()),
            _ => None,
        }
    }

    fn rig(&self) -> Option<&str> {
        match self {
            Self::Rig(rig) => Some(rig),
            Self::Agent(address) => address.rig(),
            Self::Bead { rig, .. } => rig.as_deref(),
        }
    }
}

/// Returns the rig whose beads have the prefix of an id.
fn find_rig_by_prefix(registry: &RigRegistry, id: &str) -> Option<String> {
    let (prefix, _) = id.rsplit_once('-')?;
    let mut rigs = registry.rigs.iter();
    rigs.find_map(|(rig, entry)| {
        let beads = entry.beads.as_ref()?;
        (beads.prefix.trim_end_matches('-') == prefix).then(|| rig.clone())
    })
}

/// Returns true if a word looks like an id. With a prefix of the town, the rest may be anything.
/// Otherwise it has a digit, which no command has.
fn is_bead_id(word: &str, has_known_prefix: bool) -> bool {
    let hash = word.rsplit('-').next().unwrap_or("");
    let is_plain = word
        .chars()
        .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.'));
    let is_hash = hash.chars().any(|letter| letter.is_ascii_digit());
    is_plain && word.contains('-') && !hash.is_empty() && (is_hash || has_known_prefix)
}

/// Returns the command of `gt` for a line of `bd` that shows a worker or a rig of the town, or draws
/// the graph of a convoy.
pub(in super::super) fn find_command_of_gt(
    env: &Env,
    line: &[OsString],
) -> Option<&'static [&'static str]> {
    let [verb, name] = line else {
        return None;
    };
    let is_known = verb == "show" || verb == "graph";
    let town = crate::open_town_for_hints(env).filter(|_| is_known)?;
    let name = name.to_string_lossy();
    if verb == "graph" {
        let beads = town.open_town_store().ok()?.snapshot().ok()?;
        let is_convoy = beads.get(&name).is_some_and(convoy::is_convoy);
        return is_convoy.then_some(&["gt", "convoy", "graph"]);
    }
    let thing = NamedThing::find(Some(&town), &name);
    matches!(thing, Some(NamedThing::Agent(_) | NamedThing::Rig(_))).then_some(&["gt", "why"])
}

/// The words of a refused line behind its command.
struct LineOperands<'a> {
    town: Option<&'a LiveTown>,
    things: Vec<NamedThing>,
    /// The other words in order.
    texts: Vec<&'a str>,
    /// All words as one text, without a thing that comes first.
    rest: String,
}

/// Words between two operands that add nothing.
const FILLERS: [&str; 6] = ["on", "to", "from", "by", "with", "as"];

impl<'a> LineOperands<'a> {
    fn sort(words: &'a [String], town: Option<&'a LiveTown>) -> Self {
        let words: Vec<&str> = words
            .iter()
            .map(String::as_str)
            .filter(|word| !word.starts_with('-') || word.contains(char::is_whitespace))
            .collect();
        let mut operands = Self {
            town,
            things: Vec::new(),
            texts: Vec::new(),
            rest: String::new(),
        };
        let find = |word| NamedThing::find(town.map(|town| &**town), word);
        let named = usize::from(words.first().is_some_and(|word| find(word).is_some()));
        operands.rest = words[named..].join(" ");
        for word in words {
            match find(word) {
                Some(thing) => operands.things.push(thing),
                None if FILLERS.contains(&word) => {}
                None => operands.texts.push(word),
            }
        }
        operands
    }

    /// Takes a text that is the title of a convoy as the convoy.
    fn find_convoy_by_title(&mut self) {
        let read = |town: &LiveTown| town.open_town_store().ok()?.snapshot().ok();
        let Some((beads, title)) = self.town.and_then(read).zip(self.texts.first()) else {
            return;
        };
        if let Some(convoy) = convoy::find_by_title(&beads, title) {
            self.things.push(NamedThing::Bead {
                id: convoy.id.clone(),
                rig: None,
            });
            self.texts.remove(0);
        }
    }

    /// Returns the bead that a worker has on its hook.
    fn bead_of_worker(&self) -> Option<String> {
        let agent = self.things.iter().find_map(|thing| match thing {
            NamedThing::Agent(agent) => Some(agent),
            _ => None,
        })?;
        let view = TownView::read(self.town?).ok()?;
        Some(view.hooked_bead_of(agent)?.id.clone())
    }

    /// Returns the open question about the first bead or of the first worker, or the only one.
    fn open_question(&self) -> Option<String> {
        let Some(town) = self.town else {
            return match self.things.first()? {
                NamedThing::Bead { id, .. } => Some(id.clone()),
                _ => None,
            };
        };
        let beads = town.open_town_store().ok()?.snapshot().ok()?;
        let open = escalation::list_escalations(&beads, false);
        let name = match self.things.first() {
            Some(NamedThing::Bead { id, .. }) => id.clone(),
            Some(NamedThing::Agent(agent)) => agent.mailbox(),
            _ => String::new(),
        };
        let is_about = |question: &&escalation::Escalation| {
            question.id == name
                || question.related_bead == name
                || question.escalated_by == name
                || question.title.split_whitespace().any(|word| word == name)
        };
        match (&open[..], open.iter().find(is_about)) {
            (_, Some(question)) => Some(question.id.clone()),
            ([only], None) => Some(only.id.clone()),
            _ => None,
        }
    }

    /// Returns the first text that may be a name: of a URL, the name of its repository.
    fn name(&self) -> Option<String> {
        let text = self.texts.first()?;
        let name = if is_url(text) {
            text.trim_end_matches(".git").rsplit(['/', ':']).next()?
        } else {
            text
        };
        Some(quote_for_shell(name))
    }

    /// Returns the rig of the things, or the only one of the town.
    fn rig(&self) -> Option<String> {
        let named = self.things.iter().find_map(NamedThing::rig);
        named.map(str::to_owned).or_else(|| {
            let registry = self.town?.read_registry().ok()?;
            let mut rigs = registry.rigs.into_keys();
            rigs.next().filter(|_| rigs.next().is_none())
        })
    }
}

fn is_url(text: &str) -> bool {
    text.contains("://") || text.split('.').next_back() == Some("git")
}

/// A command of a hint with its placeholders filled.
#[derive(Debug, PartialEq, Eq)]
struct FilledCommand {
    line: String,
    /// The number of placeholders that words of the refused line fill.
    taken: usize,
}

/// Fills the commands of a hint, which stand on lines of their own, with the operands of the refused
/// line. Of several commands, those that take the most operands remain.
pub(in super::super) fn fill_hint(
    hint: &str,
    operands: &[String],
    town: Option<&LiveTown>,
) -> String {
    let mut operands = LineOperands::sort(operands, town);
    if hint.contains("CONVOY") {
        operands.find_convoy_by_title();
    }
    let filled: Vec<(&str, Option<FilledCommand>)> = hint
        .lines()
        .map(|line| (line, fill_command(line, &operands)))
        .collect();
    let is_choice = hint.starts_with("type one of\n");
    let taken = filled
        .iter()
        .flat_map(|(_, filled)| filled)
        .map(|filled| filled.taken);
    let most = taken.max().unwrap_or(0);
    let mut kept: Vec<String> = filled
        .into_iter()
        .filter_map(|(line, filled)| match filled {
            Some(filled) if is_choice && filled.taken < most => None,
            // The list of a family's commands has none that takes the operands.
            None if is_choice && most > 0 && line.starts_with("  ") => None,
            Some(filled) => Some(filled.line),
            None => Some(line.to_owned()),
        })
        .collect();
    if is_choice && kept.len() == 2 {
        "type".clone_into(&mut kept[0]);
    }
    kept.join("\n")
}

/// Fills the placeholders of a line that is a command. None for all other lines.
fn fill_command(line: &str, operands: &LineOperands<'_>) -> Option<FilledCommand> {
    let command = line.strip_prefix("  ")?;
    // The list of a family's commands, which describes each.
    if command.contains(": ") {
        return None;
    }
    let mut things: Vec<&NamedThing> = operands.things.iter().collect();
    let mut texts = operands.texts.iter();
    let is_sling = command.starts_with("gt sling");
    let mut taken = 0;
    let mut words = Vec::new();
    for word in command.split(' ') {
        let mut take = |is_meant: &dyn Fn(&NamedThing) -> bool| {
            let at = things.iter().position(|thing| is_meant(thing))?;
            Some(things.remove(at))
        };
        let filled = match word {
            "ID" if command.starts_with("gt escalate resolve") => operands.open_question(),
            // A worker is a target, too.
            "RIG"
                if is_sling
                    && taken > 0
                    && let Some(NamedThing::Agent(agent)) =
                        take(&|thing| matches!(thing, NamedThing::Agent(_))) =>
            {
                Some(agent.to_string())
            }
            "BEAD" if is_sling => {
                let mut beads = Vec::new();
                while let Some(bead) = take(&|thing| thing.fill("BEAD").is_some()) {
                    beads.extend(bead.fill("BEAD"));
                }
                (!beads.is_empty()).then(|| beads.join(" "))
            }
            _ => take(&|thing| thing.fill(word).is_some()).and_then(|thing| thing.fill(word)),
        };
        let filled = filled.or_else(|| match word {
            "TEXT" if !operands.rest.is_empty() => Some(quote_for_shell(&operands.rest)),
            "N" | "AMOUNT" => texts
                .by_ref()
                .find(|text| text.parse::<f64>().is_ok())
                .map(|text| (*text).to_owned()),
            "TITLE" | "COMMAND" => {
                let all: Vec<&str> = texts.by_ref().copied().collect();
                (!all.is_empty()).then(|| quote_for_shell(&all.join(" ")))
            }
            "URL" => texts
                .by_ref()
                .find(|text| is_url(text))
                .map(|text| quote_for_shell(text)),
            "KEY" => texts
                .by_ref()
                .find(|text| key::find_key(text).is_some())
                .map(|text| (*text).to_owned()),
            "NAME" => operands.name(),
            "TIME" | "VALUE" | "SUBJECT" | "LABEL" => {
                texts.next().map(|text| quote_for_shell(text))
            }
            "BEAD" => operands.bead_of_worker(),
            _ => None,
        });
        taken += usize::from(filled.is_some());
        let filled = filled.or_else(|| (word == "RIG").then(|| operands.rig()).flatten());
        words.push(filled.unwrap_or_else(|| word.to_owned()));
    }
    Some(FilledCommand {
        line: format!("  {}", words.join(" ")),
        taken,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(hint: &str, thing: NamedThing) -> Vec<Option<String>> {
        let mut operands = LineOperands::sort(&[], None);
        operands.things.push(thing);
        hint.lines()
            .map(|line| Some(fill_command(line, &operands)?.line))
            .collect()
    }

    #[test]
    fn placeholders_are_filled_with_the_thing_and_its_rig() {
        let bead = NamedThing::Bead {
            id: "web-k3f2".into(),
            rig: Some("web".into()),
        };
        let hint = "type one of\n  gt sling BEAD RIG --force\n  gt rig stop RIG\n  gt down";
        let expected = [
            None,
            Some("  gt sling web-k3f2 web --force".into()),
            Some("  gt rig stop web".into()),
            Some("  gt down".into()),
        ];
        assert_eq!(fill(hint, bead), expected);
        let worker = NamedThing::Agent(Address::Polecat("web".into(), "amber".into()));
        assert_eq!(
            fill("  gt polecat nuke RIG/NAME\n  gt nudge AGENT TEXT", worker),
            [
                Some("  gt polecat nuke web/polecats/amber".into()),
                Some("  gt nudge web/polecats/amber TEXT".into())
            ]
        );
    }

    #[test]
    fn of_several_commands_those_that_take_the_thing_remain() {
        let hint = "type one of\n  gt polecat retry RIG/NAME\n  gt mq retry REQUEST\n  gt down";
        let fill = |hint, operand: &str| fill_hint(hint, &[operand.to_owned()], None);
        assert_eq!(fill(hint, "web-1"), "type\n  gt mq retry web-1");
        assert_eq!(fill(hint, "everything"), hint);
        assert_eq!(fill_hint(hint, &[], None), hint);
        let answer = ["hq-4yj", "the", "blue", "one"].map(str::to_owned);
        assert_eq!(
            fill_hint("type\n  gt escalate resolve ID TEXT", &answer, None),
            "type\n  gt escalate resolve hq-4yj 'the blue one'"
        );
        let family = "type\n  gt status\n  gt session at: gt attach AGENT";
        assert_eq!(fill(family, "web-1"), family);
    }
}
