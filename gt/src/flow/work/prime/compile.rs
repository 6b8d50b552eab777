//! Joins the parts of a context within a byte budget.
//!
//! Each part is first cut to its own limit. While the whole is too long, the part of the highest
//! rank is cut, down to its useful minimum. After that, such parts are dropped, again from the
//! highest rank on. Fixed parts are never cut. A cut part names the command or file that shows all
//! of it. No clock or random source is used: the same parts give the same bytes.

use kit::ui::cut;

use super::part::{ContextPart, PartFate, PartPointer};

/// Joins the parts in at most `budget` bytes, if that is possible.
pub(super) fn join_parts(parts: &mut [ContextPart], budget: usize, bead: Option<&str>) -> String {
    for part in parts.iter_mut() {
        if let Some(most) = part.room.map(|room| room.most) {
            shrink_part(part, most, &format!("it may have {most} bytes"), bead);
        }
    }
    let why = format!("the whole may have {budget} bytes");
    for drop_it in [false, true] {
        for at in cut_order(parts) {
            let surplus = total_length(parts).saturating_sub(budget);
            let part = &mut parts[at];
            let (Some(room), true) = (part.room, surplus > 0) else {
                continue;
            };
            if drop_it {
                drop_part(part, &why, bead);
            } else {
                let limit = part.bytes.saturating_sub(surplus).max(room.least);
                shrink_part(part, limit, &why, bead);
            }
        }
    }
    let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
    texts.join("\n")
}

/// Returns the length of the whole, with a blank line between two parts.
fn total_length(parts: &[ContextPart]) -> usize {
    let texts: usize = parts.iter().map(|part| part.text.len()).sum();
    texts + parts.len().saturating_sub(1)
}

/// Returns the indices of the parts in the order in which they are cut: highest rank first, and
/// within a rank the last first.
fn cut_order(parts: &[ContextPart]) -> Vec<usize> {
    let find_rank = |at: &usize| parts[*at].room.map(|room| room.rank);
    let mut order: Vec<usize> = (0..parts.len())
        .filter(|at| find_rank(at).is_some())
        .collect();
    order.sort_by_key(|at| (find_rank(at), *at));
    order.reverse();
    order
}

/// Cuts a part: a list loses its oldest items, any other part its end.
fn shrink_part(part: &mut ContextPart, limit: usize, why: &str, bead: Option<&str>) {
    if part.text.len() <= limit || drop_oldest_items(part, limit, why, bead) {
        return;
    }
    cut_part_end(part, limit, why, bead);
}

/// Replaces the oldest items of a list with a mark. The newest item always stays, and its end is
/// cut if it alone exceeds the limit. Returns false if the part is not a list.
fn drop_oldest_items(part: &mut ContextPart, limit: usize, why: &str, bead: Option<&str>) -> bool {
    let Some(items) = part.items else {
        return false;
    };
    let mark = format!(
        "… (the oldest are cut: {})\n\n",
        describe_pointer(part, bead)
    );
    let (intro, list) = part.text.split_at(items.first.min(part.text.len()));
    let ends = items.between.len() - items.between.trim_start_matches('\n').len();
    let starts: Vec<usize> = list
        .match_indices(items.between)
        .map(|(at, _)| at + ends)
        .filter(|at| *at < list.len())
        .collect();
    let room = limit.saturating_sub(intro.len() + mark.len());
    let first_that_fits = starts.iter().find(|at| list.len() - **at <= room);
    let Some(start) = first_that_fits.or(starts.last()) else {
        return false;
    };
    let kept = &list[*start..];
    part.cut = part.whole.saturating_sub(intro.len() + kept.len());
    part.fate = PartFate::Cut;
    why.clone_into(&mut part.why);
    let text = format!("{intro}{mark}{kept}");
    part.set_text(text);
    if part.text.len() > limit {
        cut_part_end(part, limit, why, bead);
    }
    true
}

/// Cuts a part at the end of a line and adds a mark. Closes an open fence.
fn cut_part_end(part: &mut ContextPart, limit: usize, why: &str, bead: Option<&str>) {
    let mark = format!("\n… (cut: {})\n", describe_pointer(part, bead));
    // Reserves room for the mark and for the end of a fence.
    let mut end = limit.saturating_sub(mark.len());
    let (left, text) = loop {
        let start = cut::first_bytes(&part.text, end);
        let line = start.rfind('\n').unwrap_or(0);
        let close = find_open_fence(&part.text[..line])
            .map_or_else(String::new, |fence| format!("\n{fence}"));
        if line + close.len() + mark.len() <= limit || line == 0 {
            break (line, format!("{}{close}{mark}", &part.text[..line]));
        }
        end = line;
    };
    // A second cut also removes the first mark.
    part.cut = part.whole.saturating_sub(left);
    part.fate = PartFate::Cut;
    why.clone_into(&mut part.why);
    part.set_text(text);
}

/// Replaces a part with one line that names the command for it.
fn drop_part(part: &mut ContextPart, why: &str, bead: Option<&str>) {
    let line = format!(
        "({} left out: {})\n",
        part.name,
        describe_pointer(part, bead)
    );
    if part.text.len() <= line.len() {
        return;
    }
    part.cut = part.whole;
    part.fate = PartFate::Dropped;
    why.clone_into(&mut part.why);
    part.set_text(line);
}

/// Returns the command or file that shows all of a part.
fn describe_pointer(part: &ContextPart, bead: Option<&str>) -> String {
    match part.room.map(|room| room.pointer) {
        Some(PartPointer::Command(command)) => {
            let command = command.replace("{}", bead.unwrap_or(""));
            format!("`{}` has all of it", command.trim_end())
        }
        Some(PartPointer::HandoffNote) => {
            let id = part.handoff_note().unwrap_or("");
            format!("`gt mail read {id}` has all of it")
        }
        _ => format!("all of it is in {}", part.source),
    }
}

/// Returns the fence that is open at the end of a text.
fn find_open_fence(text: &str) -> Option<&str> {
    let mut open = None;
    for line in text.lines().filter(|line| line.starts_with("~~~")) {
        open = match open {
            None => Some(line),
            Some(fence) if fence == line => None,
            still => still,
        };
    }
    open
}

#[cfg(test)]
mod tests {
    use super::super::part::PartRoom;
    use super::*;

    fn part(name: &'static str, text: &str, rank: u8) -> ContextPart {
        ContextPart::fixed(name, "there", text.to_owned()).with_room(PartRoom {
            most: 4000,
            least: 300,
            rank,
            pointer: PartPointer::Command("bd show {}"),
        })
    }

    fn lines(count: usize) -> String {
        "line of words\n".repeat(count)
    }

    #[test]
    fn parts_that_fit_are_kept_complete() {
        let mut parts = vec![
            ContextPart::fixed("role", "r", "role\n".to_owned()),
            part("hook", "work\n", 0),
        ];
        assert_eq!(join_parts(&mut parts, 1000, None), "role\n\nwork\n");
        assert!(
            parts
                .iter()
                .all(|part| part.fate == PartFate::Kept && part.why.is_empty())
        );
    }

    #[test]
    fn the_output_stays_within_the_budget_for_any_input() {
        for budget in [700, 1500, 3000, 8000] {
            let fenced = format!("# Work\n~~~~\n{}~~~\n{}~~~~\n", lines(100), lines(900));
            let mut parts = vec![
                ContextPart::fixed("role", "r", "role\n".to_owned()),
                part("hook", &fenced, 0),
                part("convoy", &lines(500), 5),
                ContextPart::fixed("mail", "m", "mail\n".to_owned()),
            ];
            let text = join_parts(&mut parts, budget, Some("bd-1"));
            assert!(text.len() <= budget, "{budget}: {}", text.len());
            assert!(text.starts_with("role\n") && text.ends_with("mail\n"));
            assert!(text.contains("bd show bd-1"), "{text}");
            assert_eq!(text.lines().filter(|line| *line == "~~~~").count() % 2, 0);
        }
    }

    #[test]
    fn the_highest_rank_is_cut_first_and_dropped_before_the_others() {
        let mut parts = vec![part("hook", &lines(100), 0), part("convoy", &lines(100), 5)];
        join_parts(&mut parts, 2000, None);
        assert_eq!(
            (parts[0].fate, parts[1].fate),
            (PartFate::Kept, PartFate::Cut)
        );
        let mut parts = vec![part("hook", &lines(100), 0), part("convoy", &lines(100), 5)];
        join_parts(&mut parts, 500, None);
        assert_eq!(
            (parts[0].fate, parts[1].fate),
            (PartFate::Cut, PartFate::Dropped)
        );
        assert!(parts[1].why.contains("500 bytes"));
    }

    #[test]
    fn a_cut_list_keeps_its_heading_and_its_newest_items() {
        let list: String = (1..=9)
            .map(|n| format!("{n}. title\n   > {}\n\n", "words ".repeat(20)))
            .collect();
        let whole = format!("## Before\n\n{list}");
        let made = || vec![part("convoy", &whole, 5).with_items("\n\n", "\n\n")];
        for (limit, kept) in [
            (1000, vec![4, 5, 6, 7, 8, 9]),
            (500, vec![7, 8, 9]),
            (310, vec![9]),
        ] {
            let mut parts = made();
            let text = join_parts(&mut parts, limit, Some("w-1"));
            assert!(text.len() <= limit, "{limit}: {}", text.len());
            assert!(
                text.starts_with("## Before\n\n… (the oldest are cut: "),
                "{text}"
            );
            let shown: Vec<usize> = (1..=9)
                .filter(|n| text.contains(&format!("\n{n}. title")))
                .collect();
            assert_eq!(shown, kept, "{text}");
            let at = text.find(&format!("{}. title", kept[0])).unwrap();
            let left = "## Before\n\n".len() + text.len() - at;
            assert_eq!(parts[0].cut + left, whole.len());
        }
        // One item that is longer than the limit is cut at its end.
        let long = format!("## Before\n\n1. old\n\n2. new\n{}", lines(100));
        let mut parts = vec![part("convoy", &long, 5).with_items("\n\n", "\n\n")];
        let text = join_parts(&mut parts, 600, None);
        assert!(
            text.contains("2. new") && !text.contains("1. old"),
            "{text}"
        );
        assert!(text.len() <= 600, "{}", text.len());
    }

    #[test]
    fn cut_bytes_are_counted_once() {
        let whole = lines(600);
        let mut parts = vec![part("hook", &whole, 0)];
        join_parts(&mut parts, 1000, None);
        let left = parts[0].text.find("\n…").unwrap();
        assert_eq!(parts[0].cut + left, whole.len());
    }

    #[test]
    fn the_same_parts_give_the_same_bytes() {
        let parts = || vec![part("a", &lines(300), 1), part("b", &"ü".repeat(3000), 2)];
        assert_eq!(
            join_parts(&mut parts(), 1000, None),
            join_parts(&mut parts(), 1000, None)
        );
    }
}
