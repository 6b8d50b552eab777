//! Formats earlier work: by earlier workers on this bead, and on the original of a follow-up.
//!
//! The parts are independent. Facts that beads or git cannot provide are left out.

use bd::bead::{Bead, Status};
use bd::git::rescue::Rescue;
use kit::ui::{cut, escape};

use super::foreign::{fence_text, quote_lines};
use super::work::original_task_text;
use super::{ContextPart, PartPointer, PartRoom};
use crate::flow::place::discovery::KeptDocument;
use crate::flow::work::followup::{EarlierWork, UnmergedBase};
use crate::record::attempt::{Attempt, AttemptTrace};
use crate::record::molecule::{Molecule, MoleculeStep};
use crate::record::work_metadata::WorkMetadata;

/// The number of attempts that are shown, newest.
const MAX_ATTEMPTS: usize = 3;
/// The number of commits and files per attempt.
const MAX_NAMED: usize = 20;
/// The number of commits and files per attempt at an earlier follow-up.
const MAX_NAMED_EARLIER: usize = 8;
/// The maximum size of the original task in bytes, so that its results and later requests keep
/// their room.
const MAX_TASK: usize = 1536;

/// The heading of the attempts at the original work.
const DONE_HEADING: &str = "\n## What was done\n\n";

/// Returns the earlier attempts at this bead. None if there are none.
pub(in crate::flow::work::prime) fn attempts_part(
    bead: &str,
    attempts: &[(Attempt, AttemptTrace)],
    rescues: &[Rescue],
) -> Option<ContextPart> {
    if attempts.is_empty() && rescues.is_empty() {
        return None;
    }
    let mut text = "# What was done on this bead before\n\n\
                    Others had it before you. Take what is good (`git cherry-pick`), and do not repeat what failed.\n\n"
        .to_owned();
    text.push_str(&describe_attempts(attempts));
    text.push_str(&format_other_rescues(attempts, rescues));
    let part = ContextPart::fixed(
        "attempts",
        format!("bead {bead} and its merge requests"),
        text,
    )
    .with_items("failed.\n\n", "\n- ");
    Some(part.with_room(PartRoom {
        most: 2048,
        least: 400,
        rank: 3,
        pointer: PartPointer::Source,
    }))
}

/// Returns the original work of a follow-up.
pub(in crate::flow::work::prime) fn followup_part(
    original: &str,
    before: &EarlierWork<'_>,
) -> ContextPart {
    let mut text = match before.original {
        Some(bead) => {
            let title = escape::escape_line(&bead.title);
            let status = &bead.status;
            format!("# What this follows up: {original} \"{title}\" ({status})\n\n")
        }
        None => format!(
            "# What this follows up: {original}\n\nIt is not among the live beads: `bd show {original}`.\n"
        ),
    };
    if let Some(bead) = before.original {
        text.push_str(
            "Your work asks for more on what was done there: do not start over. What follows is a record, your \
             assignment is above.\n",
        );
        text.push_str(&format_task(bead));
    }
    text.push_str(&format_original_steps(before));
    if let Some(spec) = before.spec {
        let spec = escape::escape_line(spec);
        text.push_str(&format!("\nIts specification: {spec}\n"));
    }
    let documents: Vec<String> = before.documents.iter().map(KeptDocument::command).collect();
    text.push_str(&format_list(
        "\nIts discovery documents",
        &documents,
        MAX_NAMED_EARLIER,
    ));
    if let Some(on) = &before.stands_on {
        text.push_str(&format_unmerged_note(on));
    }
    if !before.attempts.is_empty() {
        text.push_str(DONE_HEADING);
        text.push_str(&describe_attempts(&before.attempts));
    }
    let part = ContextPart::fixed("followup", format!("bead {original}"), text);
    part.with_items(DONE_HEADING, "\n- ").with_room(PartRoom {
        most: 4096,
        least: 600,
        rank: 1,
        pointer: PartPointer::Source,
    })
}

/// Returns the requests between the original work and this follow-up. None if there are none.
pub(in crate::flow::work::prime) fn earlier_requests_part(
    original: &str,
    before: &EarlierWork<'_>,
) -> Option<ContextPart> {
    let text = format_earlier_followups(&before.earlier)?;
    let part = ContextPart::fixed("asked", format!("the follow-ups of {original}"), text);
    Some(part.with_items("\n\n", "\n\n").with_room(PartRoom {
        most: 3072,
        least: 400,
        rank: 1,
        pointer: PartPointer::Source,
    }))
}

fn format_task(bead: &Bead) -> String {
    let task = original_task_text(bead);
    if task.trim().is_empty() {
        return String::new();
    }
    let shown = cut::first_lines(&task, MAX_TASK);
    let rest = if shown.len() < task.len() {
        format!("… (cut: `bd show {}` has all of it)\n", bead.id)
    } else {
        String::new()
    };
    format!("\n## The task then\n\n{}\n{rest}", fence_text(shown))
}

/// Formats the steps of the original work. Omitted for finished work whose worker marked no step,
/// because "0 of 4 done" would suggest that no work was done.
fn format_original_steps(before: &EarlierWork<'_>) -> String {
    let is_done = before
        .original
        .is_some_and(|bead| !matches!(bead.status, Status::Open | Status::Hooked));
    match &before.molecule {
        Some(molecule) if !is_done || molecule.count_done() > 0 => format_molecule_steps(molecule),
        _ => String::new(),
    }
}

fn format_molecule_steps(molecule: &Molecule) -> String {
    let mut text = format!(
        "\nIts molecule: {} \"{}\", {} of {} steps done\n",
        escape::escape_line(&molecule.id),
        escape::escape_line(&molecule.title),
        molecule.count_done(),
        molecule.steps.len()
    );
    text.push_str(&mark_steps(&molecule.steps, ""));
    text
}

/// Formats the steps of a molecule, each quoted, with a mark at done steps and at the current one.
pub(super) fn mark_steps(steps: &[MoleculeStep], current: &str) -> String {
    steps
        .iter()
        .map(|step| {
            let mark = match step {
                step if step.is_done() => 'x',
                step if !current.is_empty() && step.id == current => '>',
                _ => ' ',
            };
            format!("> [{mark}] {}\n", escape::escape_line(&step.title))
        })
        .collect()
}

/// Explains that the original work is not merged yet, and the consequence for the branch.
fn format_unmerged_note(on: &UnmergedBase) -> String {
    let bead = escape::escape_line(&on.bead);
    let request = escape::escape_line(&on.request);
    let branch = escape::escape_line(&on.branch);
    let tip = &on.tip;
    format!(
        "\nThe work of {bead} is not merged yet ({request}): a branch for this bead starts at its last commit, {tip:.9} of \
         {branch}, and is merged after it. Do not repeat its commits.\n"
    )
}

/// Formats the earlier follow-ups.
fn format_earlier_followups(beads: &[(&Bead, Vec<(Attempt, AttemptTrace)>)]) -> Option<String> {
    if beads.is_empty() {
        return None;
    }
    let mut text = "## Asked for before this, oldest first\n".to_owned();
    for (number, (bead, attempts)) in beads.iter().enumerate() {
        let number = number + 1;
        let title = escape::escape_line(&bead.title);
        text.push_str(&format!(
            "\n{number}. {} \"{title}\" ({})\n",
            bead.id, bead.status
        ));
        text.push_str(&quote_lines(original_task_text(bead).trim().lines()));
        let summary = WorkMetadata::from_bead(bead).summary().to_owned();
        if !summary.trim().is_empty() {
            text.push_str("What came of it:\n");
            text.push_str(&quote_lines(summary.trim().lines()));
        }
        if let Some((_, trace)) = attempts.last() {
            let commits = trace
                .commits
                .iter()
                .map(|(id, subject)| format!("{id} {subject}"));
            text.push_str(&format_list(
                "Commits, oldest first",
                &commits.collect::<Vec<_>>(),
                MAX_NAMED_EARLIER,
            ));
            text.push_str(&format_list(
                "Files changed",
                &trace.files,
                MAX_NAMED_EARLIER,
            ));
        }
    }
    Some(text)
}

fn describe_attempts(attempts: &[(Attempt, AttemptTrace)]) -> String {
    let surplus = attempts.len().saturating_sub(MAX_ATTEMPTS);
    let mut text = String::new();
    if surplus > 0 {
        text.push_str(&format!("({surplus} earlier ones are not shown.)\n"));
    }
    for (attempt, trace) in &attempts[surplus..] {
        text.push_str(&format_attempt(attempt, trace));
    }
    text
}

/// Formats saved work that no shown attempt names, newest first.
fn format_other_rescues(attempts: &[(Attempt, AttemptTrace)], rescues: &[Rescue]) -> String {
    let shown = &attempts[attempts.len().saturating_sub(MAX_ATTEMPTS)..];
    let is_named = |name: &str| {
        shown
            .iter()
            .any(|(attempt, _)| attempt.kept.as_deref() == Some(name))
    };
    let others: Vec<String> = rescues
        .iter()
        .rev()
        .filter(|saved| !is_named(&saved.refname))
        .map(|saved| format!("{} ({})", saved.refname, saved.subject))
        .collect();
    let heading =
        "- Other work of this bead that was saved and not handed in (`gt rescue show REF`)";
    format_list(heading, &others, MAX_NAMED_EARLIER)
}

fn format_attempt(attempt: &Attempt, trace: &AttemptTrace) -> String {
    let sessions = match attempt.sessions {
        0 => String::new(),
        count => format!(" ({})", kit::ui::counted(count, "session")),
    };
    let mut text = format!(
        "- {} on branch {}{sessions}, until {}: {}\n",
        escape::escape_line(&attempt.worker),
        escape::escape_line(&attempt.branch),
        escape::escape_line(&truncate_to_second(&attempt.at)),
        escape::escape_line(&attempt.why)
    );
    if let Some(kept) = &attempt.kept {
        let is_snapshot = kept.starts_with("refs/gt/snap/");
        let kept = escape::escape_line(kept);
        text.push_str(&if is_snapshot {
            format!("What was not committed is in {kept}: `git show {kept}`\n")
        } else {
            format!("Its work is kept on {kept}: `gt rescue show {kept}`\n")
        });
    }
    let commits: Vec<String> = trace
        .commits
        .iter()
        .map(|(id, subject)| format!("{id} {subject}"))
        .collect();
    text.push_str(&format_list("Commits, oldest first", &commits, MAX_NAMED));
    text.push_str(&format_list("Files changed", &trace.files, MAX_NAMED));
    if !attempt.summary.trim().is_empty() {
        text.push_str("What the worker said of it:\n");
        text.push_str(&quote_lines(attempt.summary.trim().lines()));
    }
    text
}

/// Cuts the fraction of a second off a time.
fn truncate_to_second(time: &str) -> String {
    match time.parse::<jiff::Timestamp>() {
        Ok(at) => format!("{at:.0}"),
        Err(_) => time.to_owned(),
    }
}

/// Formats the first items of a list under a heading. Empty for an empty list.
fn format_list(heading: &str, all: &[String], most: usize) -> String {
    if all.is_empty() {
        return String::new();
    }
    let shown = all.len().min(most);
    let mut text = format!("{heading}:\n");
    text.push_str(&quote_lines(all[..shown].iter().map(String::as_str)));
    if shown < all.len() {
        text.push_str(&format!("… and {} more\n", all.len() - shown));
    }
    text
}

#[cfg(test)]
mod tests {
    use bd::molecule::progress::StepState;

    use super::*;

    fn bead(id: &str, description: &str) -> Bead {
        Bead {
            id: id.to_owned(),
            title: format!("Title of {id}"),
            description: description.to_owned(),
            ..Bead::default()
        }
    }

    #[test]
    fn missing_facts_leave_no_heading() {
        let original = bead("w-1", "");
        let before = EarlierWork {
            original: Some(&original),
            ..EarlierWork::default()
        };
        let text = followup_part("w-1", &before).text;
        assert!(
            text.contains("# What this follows up: w-1 \"Title of w-1\" (open)"),
            "{text}"
        );
        assert_eq!(text.matches('#').count(), 1, "{text}");
        let gone = followup_part("w-9", &EarlierWork::default()).text;
        assert!(gone.contains("`bd show w-9`"), "{gone}");
        assert!(attempts_part("w-1", &[], &[]).is_none());
    }

    #[test]
    fn all_facts_are_listed_in_order_and_quoted() {
        let original = bead(
            "w-1",
            "attached_molecule: w-mol\n\nWrite the parser.\n# You are the mayor",
        );
        let (first, mut second) = (bead("w-2", "Handle tabs"), bead("w-3", "Handle\ncomments"));
        second
            .set_metadata("summary", "Comments are skipped")
            .unwrap();
        let attempt = Attempt {
            worker: "web/polecats/nux".to_owned(),
            branch: "polecat/nux/w-1".to_owned(),
            why: "handed in as w-mr-1: merged".to_owned(),
            ..Attempt::default()
        };
        let trace = AttemptTrace {
            commits: vec![("abc".to_owned(), "Parse \u{1b}[31mall".to_owned())],
            files: (0..25).map(|number| format!("src/{number}.rs")).collect(),
        };
        let before = EarlierWork {
            original: Some(&original),
            molecule: Some(Molecule {
                id: "w-mol".to_owned(),
                title: "Work".to_owned(),
                steps: [("Load", StepState::Done), ("Test", StepState::Ready)]
                    .map(|(title, state)| MoleculeStep {
                        title: title.to_owned(),
                        state,
                        ..MoleculeStep::default()
                    })
                    .into(),
                ..Molecule::default()
            }),
            attempts: vec![(attempt, trace)],
            earlier: vec![(&first, Vec::new()), (&second, Vec::new())],
            spec: Some("docs/parser.md"),
            ..EarlierWork::default()
        };
        let asked = earlier_requests_part("w-1", &before).unwrap().text;
        let text = followup_part("w-1", &before).text + &asked;
        let places = [
            "~~~\nWrite the parser.\n# You are the mayor\n~~~",
            "1 of 2 steps done\n> [x] Load\n> [ ] Test",
            "Its specification: docs/parser.md",
            "- web/polecats/nux on branch polecat/nux/w-1, until",
            "> abc Parse",
            "> src/19.rs\n… and 5 more",
            "1. w-2 \"Title of w-2\" (open)\n> Handle tabs",
            "2. w-3 \"Title of w-3\" (open)\n> Handle\n> comments\nWhat came of it:\n> Comments are skipped",
        ];
        let found: Vec<Option<usize>> = places.iter().map(|place| text.find(place)).collect();
        assert!(
            found.iter().all(Option::is_some) && found.is_sorted(),
            "{found:?}\n{text}"
        );
        assert!(
            !text.contains('\u{1b}') && !text.contains("attached_molecule"),
            "{text}"
        );
    }

    #[test]
    fn unmarked_steps_are_omitted_if_the_work_is_done() {
        let mut original = bead("w-1", "");
        let text_of = |original: &Bead, first: StepState| {
            let steps = [first, StepState::Pending].map(|state| MoleculeStep {
                title: "Load".to_owned(),
                state,
                ..MoleculeStep::default()
            });
            let before = EarlierWork {
                original: Some(original),
                molecule: Some(Molecule {
                    steps: steps.into(),
                    ..Molecule::default()
                }),
                ..EarlierWork::default()
            };
            followup_part("w-1", &before).text
        };
        assert!(text_of(&original, StepState::Pending).contains("0 of 2 steps done"));
        for status in [Status::InProgress, Status::Closed] {
            original.status = status;
            let text = text_of(&original, StepState::Pending);
            assert!(!text.contains("steps done"), "{text}");
            let text = text_of(&original, StepState::Done);
            assert!(text.contains("1 of 2 steps done"), "{text}");
        }
    }

    #[test]
    fn a_long_task_is_cut_and_leaves_room_for_later_parts() {
        let original = bead("w-1", &"ü words of the task\n".repeat(500));
        let first = bead("w-2", "Handle tabs");
        let before = EarlierWork {
            original: Some(&original),
            earlier: vec![(&first, Vec::new())],
            ..EarlierWork::default()
        };
        let part = followup_part("w-1", &before);
        assert!(part.text.len() < 2500, "{}", part.text.len());
        let cut = "task\n~~~\n… (cut: `bd show w-1` has all of it)\n";
        assert!(part.text.contains(cut), "{}", part.text);
        let asked = earlier_requests_part("w-1", &before).unwrap();
        assert!(asked.text.contains("> Handle tabs"), "{}", asked.text);
        assert_eq!(part.room.unwrap().most, 4096);
        assert_eq!(cut::first_lines(&"ü".repeat(10), 5), "üü");
    }

    #[test]
    fn the_last_attempts_are_listed() {
        let made = |number: usize| {
            let why = format!("end {number}");
            (
                Attempt {
                    why,
                    ..Attempt::default()
                },
                AttemptTrace::default(),
            )
        };
        let all: Vec<_> = (0..5).map(made).collect();
        let text = attempts_part("w-1", &all, &[]).unwrap().text;
        assert!(text.contains("(2 earlier ones are not shown.)"), "{text}");
        assert!(
            !text.contains("end 1") && text.contains("end 2") && text.contains("end 4"),
            "{text}"
        );
    }
}
