//! Writes the overview of the beads that are not shown in full: the first sentence of each, grouped
//! by the folder that the bead changed.
//!
//! The areas take turns, one sentence each, failures first and then the newest, while there is
//! room. The rest is counted. The same beads give the same bytes.

use std::collections::BTreeMap;

use super::{BriefingItem, cut_text};

/// The maximum size of the overview in bytes.
const MAX_OVERVIEW: usize = 1200;
/// Maximum length of a sentence in characters.
const MAX_SENTENCE: usize = 160;
/// The bytes reserved for the count of omitted beads, at the end of an area and of the whole.
const OMITTED_COUNT_SIZE: usize = 60;

struct OverviewArea<'a> {
    name: &'a str,
    /// Failures first, then the newest.
    beads: Vec<&'a BriefingItem>,
    sentences: Vec<String>,
}

/// Formats the overview of beads that are given oldest first.
pub(super) fn format_overview(entries: &[&BriefingItem]) -> String {
    let (open, finished): (Vec<&BriefingItem>, Vec<&BriefingItem>) =
        entries.iter().partition(|entry| entry.open);
    let mut counts = format!("{} earlier beads were finished", finished.len());
    match finished.iter().filter(|entry| entry.failed).count() {
        0 => {}
        failed => counts.push_str(&format!(", {failed} of them failed")),
    }
    match open.len() {
        0 => {}
        open => counts.push_str(&format!("; attempts at {open} more failed")),
    }
    let heading = format!("{counts}. What they changed, by folder:\n");
    let mut areas = group_by_area(entries);
    fill_areas(
        &mut areas,
        MAX_OVERVIEW.saturating_sub(heading.len() + OMITTED_COUNT_SIZE),
    );
    let (shown, rest): (Vec<&OverviewArea<'_>>, Vec<&OverviewArea<'_>>) =
        areas.iter().partition(|area| !area.sentences.is_empty());
    let mut text = heading;
    for area in shown {
        text.push_str(&format_area_line(area));
    }
    let beads: usize = rest.iter().map(|area| area.beads.len()).sum();
    if beads > 0 {
        text.push_str(&format!(
            "> and {} in {}\n",
            kit::ui::counted(beads, "bead"),
            kit::ui::counted(rest.len(), "other folder")
        ));
    }
    text
}

/// Groups the beads by area: areas with failures first, then the one with the most beads, ties by
/// name.
fn group_by_area<'a>(entries: &[&'a BriefingItem]) -> Vec<OverviewArea<'a>> {
    let mut by_name: BTreeMap<&str, Vec<&BriefingItem>> = BTreeMap::new();
    for entry in entries.iter().rev() {
        by_name.entry(entry.area.as_str()).or_default().push(entry);
    }
    let mut areas: Vec<OverviewArea<'_>> = by_name
        .into_iter()
        .map(|(name, mut beads)| {
            // The sort is stable, so the newest stays first within its kind.
            beads.sort_by_key(|entry| !entry.failed);
            let sentences = Vec::new();
            OverviewArea {
                name,
                beads,
                sentences,
            }
        })
        .collect();
    areas.sort_by_key(|area| {
        let no_failure = !area.beads.iter().any(|entry| entry.failed);
        (no_failure, std::cmp::Reverse(area.beads.len()))
    });
    areas
}

/// Gives each area one sentence in turn while there is room.
fn fill_areas(areas: &mut [OverviewArea<'_>], mut room: usize) {
    let most = areas.iter().map(|area| area.beads.len()).max();
    for turn in 0..most.unwrap_or(0) {
        for area in areas.iter_mut() {
            let Some(entry) = area
                .beads
                .get(turn)
                .filter(|_| area.sentences.len() == turn)
            else {
                continue;
            };
            let sentence = overview_sentence(entry);
            let around = if turn == 0 {
                area.name.len() + OMITTED_COUNT_SIZE / 2
            } else {
                2
            };
            if let Some(left) = room.checked_sub(sentence.len() + around) {
                room = left;
                area.sentences.push(sentence);
            }
        }
    }
}

fn format_area_line(area: &OverviewArea<'_>) -> String {
    let name = match area.name {
        "" => "elsewhere".to_owned(),
        name => kit::ui::escape::escape_line(name),
    };
    let more = match area.beads.len() - area.sentences.len() {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    format!(
        "> {name} ({}): {}{more}\n",
        area.beads.len(),
        area.sentences.join("; ")
    )
}

/// Returns the first sentence of a bead's summary, otherwise its title.
fn overview_sentence(entry: &BriefingItem) -> String {
    let text = match first_sentence(&entry.summary) {
        "" => entry.title.as_str(),
        first => first,
    };
    let mark = if entry.failed { "FAILED " } else { "" };
    let by = if entry.worker.is_empty() {
        String::new()
    } else {
        format!(" ({})", entry.worker)
    };
    let excerpt = cut_text(text, MAX_SENTENCE);
    let earlier = match &entry.earlier_failure {
        None => String::new(),
        Some(why) => format!(
            ", an earlier attempt failed: \"{}\"",
            kit::ui::escape::escape_line(&cut_text(first_sentence(why), MAX_SENTENCE / 2))
        ),
    };
    format!(
        "{mark}\"{}\"{by}{earlier}",
        kit::ui::escape::escape_line(&excerpt)
    )
}

/// Returns the first sentence of a text, or its first line if that is shorter.
pub(super) fn first_sentence(text: &str) -> &str {
    let line = text.trim_start().lines().next().unwrap_or("").trim_end();
    let end = line
        .char_indices()
        .filter(|(_, c)| matches!(c, '.' | '!' | '?' | '。'))
        .map(|(at, c)| at + c.len_utf8())
        .find(|end| line[*end..].starts_with(char::is_whitespace));
    &line[..end.unwrap_or(line.len())]
}

/// Returns the folder of most of the files, at most two levels deep. The root is `.`.
pub fn area_of(files: &[String]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for file in files {
        let folder = file.rsplit_once('/').map_or(".", |(folder, _)| folder);
        let parts: Vec<&str> = folder.split('/').take(2).collect();
        *counts.entry(parts.join("/")).or_default() += 1;
    }
    let most = counts.into_iter().rev().max_by_key(|(_, count)| *count);
    most.map(|(folder, _)| folder).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(n: usize, area: &str) -> BriefingItem {
        BriefingItem {
            id: format!("b-{n}"),
            title: format!("Title {n}"),
            worker: "nux".to_owned(),
            summary: format!("Did {n} in {area}. More of it."),
            area: area.to_owned(),
            failed: n == 3,
            open: false,
            earlier_failure: None,
        }
    }

    #[test]
    fn sentences_are_grouped_by_folder_with_failures_first() {
        let all: Vec<BriefingItem> = (0..6)
            .map(|n| entry(n, if n % 2 == 0 { "src/auth" } else { "tests" }))
            .collect();
        let text = format_overview(&all.iter().collect::<Vec<_>>());
        let expected = "6 earlier beads were finished, 1 of them failed. What they changed, by folder:\n\
             > tests (3): FAILED \"Did 3 in tests.\" (nux); \"Did 5 in tests.\" (nux); \"Did 1 in tests.\" (nux)\n\
             > src/auth (3): \"Did 4 in src/auth.\" (nux); \"Did 2 in src/auth.\" (nux); \"Did 0 in src/auth.\" (nux)\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn failed_attempts_are_listed_within_the_size_limit() {
        let mut all: Vec<BriefingItem> = (0..200)
            .map(|n| BriefingItem {
                earlier_failure: Some(format!("Lesson {n} of it. ").repeat(20)),
                ..entry(n, &format!("src/part{}", n % 5))
            })
            .collect();
        all[7].failed = true;
        all[7].open = true;
        let text = format_overview(&all.iter().collect::<Vec<_>>());
        let head =
            "199 earlier beads were finished, 1 of them failed; attempts at 1 more failed. What";
        assert!(text.starts_with(head), "{text}");
        assert!(
            text.contains(", an earlier attempt failed: \"Lesson 3 of it.\""),
            "{text}"
        );
        assert!(text.len() <= MAX_OVERVIEW, "{}", text.len());
    }

    #[test]
    fn five_hundred_beads_stay_within_the_size_limit_and_are_all_counted() {
        for folders in [1, 7, 400] {
            let all: Vec<BriefingItem> = (0..500)
                .map(|n| entry(n, &format!("src/part{}", n % folders)))
                .collect();
            let text = format_overview(&all.iter().collect::<Vec<_>>());
            assert!(text.len() <= MAX_OVERVIEW, "{folders}: {}", text.len());
            assert!(text.contains("FAILED \"Did 3"), "{text}");
            assert!(text.matches("Did").count() > 5, "{text}");
            assert!(
                text.contains("more") || text.contains("other folders"),
                "{text}"
            );
        }
    }

    #[test]
    fn a_sentence_ends_before_a_space_or_at_the_end_of_line() {
        assert_eq!(first_sentence("Uses v1.2 of it. And"), "Uses v1.2 of it.");
        assert_eq!(first_sentence("\n no end\nmore"), "no end");
        assert_eq!(first_sentence(""), "");
    }

    #[test]
    fn the_area_is_the_folder_with_most_files() {
        let files = |all: &[&str]| all.iter().map(|&f| f.to_owned()).collect::<Vec<_>>();
        assert_eq!(
            area_of(&files(&["src/a/x.rs", "src/a/b/y.rs", "README.md"])),
            "src/a"
        );
        assert_eq!(area_of(&files(&["README.md"])), ".");
        assert_eq!(area_of(&files(&["b/x", "a/x"])), "a");
        assert_eq!(area_of(&[]), "");
    }
}
