//! Fills the placeholders of commands that a refusal offers with the words of the refused line.

use kit::ui::escape::quote_for_shell;

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

/// Fills the commands of a hint, which stand on lines of their own, with the operands of the refused
/// line: the first one is the thing, the others are a text. Of several commands, those that take such a thing remain.
pub(in super::super) fn fill_hint(hint: &str, operands: &[String], town: Option<&Town>) -> String {
    let thing = operands
        .first()
        .and_then(|word| NamedThing::find(town, word));
    let Some(thing) = thing else {
        return hint.to_owned();
    };
    let lines: Vec<(&str, Option<String>)> = hint
        .lines()
        .map(|line| (line, fill_command(line, &thing, &operands[1..])))
        .collect();
    let is_filled = lines.iter().any(|(_, filled)| filled.is_some());
    let is_choice = lines
        .first()
        .is_some_and(|(line, _)| *line == "type one of");
    let mut kept = Vec::new();
    for (line, filled) in lines {
        match filled {
            Some(filled) => kept.push(filled),
            None if is_filled && is_choice && line.starts_with("  ") => {}
            None => kept.push(line.to_owned()),
        }
    }
    if is_choice && kept.len() == 2 {
        "type".clone_into(&mut kept[0]);
    }
    kept.join("\n")
}

/// Fills the placeholders of a line that is a command. None if none stands for the thing itself.
fn fill_command(line: &str, thing: &NamedThing, text: &[String]) -> Option<String> {
    let command = line.strip_prefix("  ")?;
    // The list of a family's commands, which describes each.
    if command.contains(": ") {
        return None;
    }
    let mut is_filled = false;
    let words: Vec<String> = command
        .split(' ')
        .map(|word| {
            let filled = thing.fill(word);
            is_filled |= filled.is_some();
            match word {
                "RIG" => filled.or_else(|| thing.rig().map(str::to_owned)),
                "TEXT" if !text.is_empty() => Some(quote_for_shell(&text.join(" "))),
                _ => filled,
            }
            .unwrap_or_else(|| word.to_owned())
        })
        .collect();
    is_filled.then(|| format!("  {}", words.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(hint: &str, thing: NamedThing) -> Vec<Option<String>> {
        hint.lines()
            .map(|line| fill_command(line, &thing, &[]))
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
            None,
            None,
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
