//! Merges values that are sets: labels, waiters, edges, comments, and the keys of `metadata`.
//!
//! Each set is merged member by member against the base: a member that either side removed is gone,
//! and a member that either side added is included. A member that both sides changed, or that one
//! changed and the other removed, is a conflict. If one side changed nothing, the other side's text
//! stays unchanged, in bytes and order. A value of an unexpected type (labels that are not a list)
//! is merged by the rule for whole values.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::Timestamp;

use super::record::{ReportLoss, ValueSides};
use crate::bead::record::{self, ListElement};
use crate::bead::{Comment, Dep, RawJson};

#[derive(Debug, Clone)]
struct SetMember {
    /// The creation time, which determines the order and the winner of a conflict.
    time: Timestamp,
    text: String,
    /// The number of a comment.
    number: i64,
}

type MemberSet = BTreeMap<String, SetMember>;

/// Merges words. Labels are sorted; other words keep the order of the base, with new ones sorted
/// after them.
pub(super) fn merge_words(three: ValueSides<'_>, sorted: bool) -> Option<String> {
    let ([base, left, right], foreign) = parse_lists::<String>(three)?;
    if let Some(whole) = three.one_sided_change() {
        return Some(whole.unwrap_or("[]").to_owned());
    }
    let mut kept: Vec<&String> = base
        .iter()
        .filter(|word| left.contains(word) && right.contains(word))
        .collect();
    let mut added: Vec<&String> = left.iter().chain(&right).collect();
    added.retain(|word| !base.contains(word));
    added.sort();
    added.dedup();
    kept.append(&mut added);
    if sorted {
        kept.sort();
        kept.dedup();
    }
    Some(format_array(
        kept.into_iter().map(to_json_text).chain(foreign),
    ))
}

/// Merges edges, identified by target and kind and sorted by time.
pub(super) fn merge_edges(
    three: ValueSides<'_>,
    newer: Ordering,
    report: ReportLoss<'_>,
) -> Option<String> {
    let (lists, foreign) = parse_lists::<Dep>(three)?;
    if let Some(whole) = three.one_sided_change() {
        return Some(whole.unwrap_or("[]").to_owned());
    }
    let [base, left, right] = lists.map(|list| {
        let members = list.iter().map(|edge| {
            let key = format!("{}\n{}", edge.depends_on_id, edge.kind);
            let member = SetMember {
                time: edge.created_at.instant(),
                text: to_json_text(edge),
                number: 0,
            };
            (key, member)
        });
        collect_members(members)
    });
    let merged = merge_members("dependencies", &base, &left, &right, newer, report);
    let mut members: Vec<_> = merged.into_iter().collect();
    members.sort_by(|(key, a), (other, b)| (a.time, key).cmp(&(b.time, other)));
    Some(format_array(
        members
            .iter()
            .map(|(_, member)| member.text.clone())
            .chain(foreign),
    ))
}

/// Merges comments. Their numbers are local to a clone. A comment of the base is identified by its
/// content or, after an edit, by number, author and time. A new comment is identified by author,
/// time and text. If both sides added comments, the new ones are numbered by time after those of
/// the base.
pub(super) fn merge_comments(
    three: ValueSides<'_>,
    newer: Ordering,
    report: ReportLoss<'_>,
) -> Option<String> {
    let ([base, left, right], foreign) = parse_lists::<Comment>(three)?;
    if let Some(whole) = three.one_sided_change() {
        return Some(whole.unwrap_or("[]").to_owned());
    }
    let holder = [&left, &right]
        .map(|list| list.first().map(|comment| comment.issue_id.clone()))
        .into_iter()
        .max()
        .flatten()
        .unwrap_or_default();
    let base_set = collect_members(
        base.iter()
            .enumerate()
            .map(|(at, comment)| comment_member(base_key(at), comment)),
    );
    let [left, right] = [&left, &right].map(|list| key_comments(&base, list));
    let merged = merge_members("comments", &base_set, &left, &right, newer, report);
    let new_in = |set: &MemberSet, other: &MemberSet| {
        set.keys()
            .any(|key| !base_set.contains_key(key) && !other.contains_key(key))
    };
    let mut members: Vec<_> = merged.into_iter().collect();
    members.sort_by(|(key, a), (other, b)| (a.time, key).cmp(&(b.time, other)));
    let all_new = new_in(&left, &right) && new_in(&right, &left);
    number_uniquely(&mut members, |key| !base_set.contains_key(key), all_new);
    members.sort_by_key(|(_, member)| (member.time, member.number));
    Some(format_array(
        members
            .iter()
            .filter_map(|(_, member)| {
                let mut parsed = record::parse_list::<Comment>(&format!("[{}]", member.text))?;
                let mut comment = parsed.elements.pop()?;
                comment.id = member.number;
                comment.issue_id.clone_from(&holder);
                Some(to_json_text(&comment))
            })
            .chain(foreign),
    ))
}

/// Gives every comment a unique number. Old comments keep theirs. New ones keep theirs only if it
/// is free and `all_new` is not set.
fn number_uniquely(members: &mut [(String, SetMember)], new: impl Fn(&str) -> bool, all_new: bool) {
    let mut numbers: Vec<i64> = members.iter().map(|(_, member)| member.number).collect();
    numbers.sort_unstable();
    let collide = numbers.windows(2).any(|two| two[0] == two[1]);
    if !collide && !all_new {
        return;
    }
    let mut last = members
        .iter()
        .filter(|(key, _)| !new(key))
        .map(|(_, member)| member.number)
        .fold(0, i64::max);
    let mut taken = BTreeSet::new();
    for (key, member) in members {
        if new(key) || !taken.insert(member.number) {
            last = last.saturating_add(1);
            member.number = last;
        }
    }
}

/// Merges the user-defined JSON key by key, if all sides are objects.
pub(super) fn merge_metadata(
    three: ValueSides<'_>,
    newer: Ordering,
    report: ReportLoss<'_>,
) -> Option<String> {
    let ValueSides { base, left, right } = three;
    let sides = [base, left, right].map(|text| parse_object(text.unwrap_or("{}")));
    let [Some(base), Some(left), Some(right)] = sides else {
        return None;
    };
    if let Some(whole) = three.one_sided_change() {
        return Some(whole.unwrap_or("{}").to_owned());
    }
    let find = |side: &'_ [(String, RawJson)], key: &str| -> Option<String> {
        let found = side.iter().find(|(name, _)| name == key);
        found.map(|(_, raw)| raw.get().to_owned())
    };
    let mut added: Vec<&str> = [&left, &right]
        .into_iter()
        .flatten()
        .map(|(key, _)| key.as_str())
        .filter(|key| find(&base, key).is_none())
        .collect();
    added.sort_unstable();
    added.dedup();
    let keys = base.iter().map(|(key, _)| key.as_str()).chain(added);
    let mut members = Vec::new();
    for key in keys {
        let [b, l, r] = [&base, &left, &right].map(|side| find(side, key));
        let values = ValueSides {
            base: b.as_deref(),
            left: l.as_deref(),
            right: r.as_deref(),
        };
        let (won, lost) = values.pick(false, newer);
        if let Some(lost) = lost {
            report(format!("metadata.{key}"), lost.map(str::to_owned));
        }
        if let Some(won) = won {
            members.push(format!("{}:{won}", to_json_text(&key)));
        }
    }
    Some(format!("{{{}}}", members.join(",")))
}

/// Parses the keys of an object, without repeated keys; `None` for any other value.
fn parse_object(text: &str) -> Option<Vec<(String, RawJson)>> {
    let pairs = record::parse_pairs(text)?;
    let mut keys: Vec<&str> = pairs.iter().map(|(key, _)| key.as_str()).collect();
    keys.sort_unstable();
    keys.windows(2).all(|two| two[0] != two[1]).then_some(pairs)
}

/// Merges members by their keys.
fn merge_members(
    field: &str,
    base: &MemberSet,
    left: &MemberSet,
    right: &MemberSet,
    newer: Ordering,
    report: ReportLoss<'_>,
) -> MemberSet {
    let mut merged = MemberSet::new();
    let mut keys: Vec<&String> = base.keys().chain(left.keys()).chain(right.keys()).collect();
    keys.sort();
    keys.dedup();
    for key in keys {
        let [b, l, r] = [base, left, right].map(|set| set.get(key));
        let b_text = b.map(|member| member.text.as_str());
        match (l, r) {
            (Some(l), Some(r)) => {
                let order = l.time.cmp(&r.time).then(newer);
                let l_text = l.text.as_str();
                let r_text = r.text.as_str();
                let three = ValueSides {
                    base: b_text,
                    left: Some(l_text),
                    right: Some(r_text),
                };
                let (won, lost) = three.pick(false, order);
                if let Some(lost) = lost {
                    report(field.to_owned(), lost.map(str::to_owned));
                }
                let mut member = if won == Some(l_text) { l } else { r }.clone();
                member.number = choose_number(b, l, r);
                merged.insert(key.clone(), member);
            }
            (Some(only), None) | (None, Some(only)) => match b_text {
                None => drop(merged.insert(key.clone(), only.clone())),
                Some(text) if text != only.text => {
                    report(field.to_owned(), Some(only.text.clone()));
                }
                Some(_) => {}
            },
            (None, None) => {}
        }
    }
    merged
}

/// Chooses the number of a comment that both sides have.
fn choose_number(base: Option<&SetMember>, left: &SetMember, right: &SetMember) -> i64 {
    match base {
        Some(base) if base.number == left.number => right.number,
        Some(base) if base.number == right.number => left.number,
        _ => left.number.min(right.number),
    }
}

/// Keys a side's comments by those of the base, or by their own content.
fn key_comments(base: &[Comment], list: &[Comment]) -> MemberSet {
    let mut open: Vec<Option<&Comment>> = base.iter().map(Some).collect();
    let mut keys: Vec<Option<String>> = vec![None; list.len()];
    let rules: [fn(&Comment, &Comment) -> bool; 2] = [has_same_text, has_same_origin];
    for rule in rules {
        for (comment, key) in list.iter().zip(&mut keys) {
            if key.is_none()
                && let Some(at) = open
                    .iter()
                    .copied()
                    .position(|there| there.is_some_and(|there| rule(there, comment)))
            {
                *key = Some(base_key(at));
                open[at] = None;
            }
        }
    }
    collect_members(list.iter().zip(keys).map(|(comment, key)| {
        let text = comment.text.trim();
        comment_member(
            key.unwrap_or_else(|| format!("n{}\n{}", comment.author, text)),
            comment,
        )
    }))
}

fn has_same_text(a: &Comment, b: &Comment) -> bool {
    a.author == b.author && a.created_at == b.created_at && a.text.trim() == b.text.trim()
}

/// Returns true if number, author and time are equal, as after an edit of the text.
fn has_same_origin(a: &Comment, b: &Comment) -> bool {
    a.id == b.id && a.author == b.author && a.created_at == b.created_at
}

fn base_key(at: usize) -> String {
    format!("b{at:09}")
}

fn comment_member(key: String, comment: &Comment) -> (String, SetMember) {
    let time = comment.created_at.instant();
    let plain = Comment {
        id: 0,
        issue_id: String::new(),
        ..comment.clone()
    };
    let key = match key.strip_prefix('n') {
        Some(says) => format!("n{time}\n{says}"),
        None => key,
    };
    let member = SetMember {
        time,
        text: to_json_text(&plain),
        number: comment.id,
    };
    (key, member)
}

/// Collects members by key. If several members have the same key, each one is a member of its own.
fn collect_members(members: impl Iterator<Item = (String, SetMember)>) -> MemberSet {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut set = MemberSet::new();
    for (key, member) in members {
        let count = counts.entry(key.clone()).or_default();
        let name = format!("{key}\n{count}");
        *count += 1;
        set.insert(name, member);
    }
    set
}

/// Parses the lists of all sides. The second value has the merged elements that are not understood.
fn parse_lists<T: ListElement>(three: ValueSides<'_>) -> Option<([Vec<T>; 3], Vec<String>)> {
    let parse = |text: Option<&str>| record::parse_list::<T>(text.unwrap_or("[]"));
    let base = parse(three.base)?;
    let left = parse(three.left)?;
    let right = parse(three.right)?;
    // Equal elements count, because one of them does not stand for another.
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for (side, list) in [&base, &left, &right].into_iter().enumerate() {
        for (_, raw) in &list.foreign {
            counts.entry(raw.get()).or_default()[side] += 1;
        }
    }
    let foreign = counts.into_iter().flat_map(|(text, [base, left, right])| {
        let count = match (left == base, right == base) {
            (true, _) => right,
            (_, true) => left,
            _ => left.max(right),
        };
        std::iter::repeat_n(text.to_owned(), count)
    });
    let foreign = foreign.collect();
    Some(([base, left, right].map(|list| list.elements), foreign))
}

fn format_array(members: impl Iterator<Item = String>) -> String {
    format!("[{}]", members.collect::<Vec<_>>().join(","))
}

fn to_json_text(value: &impl serde::Serialize) -> String {
    String::from_utf8_lossy(&record::serialize_compact(value)).into_owned()
}
