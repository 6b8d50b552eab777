mod history;
mod law;

use super::*;
use crate::bead::{Comment, Dep, DepKind, Stamp, Status, record};

fn bead_from_line(line: &str) -> Bead {
    let text = format!(
        "{{\"id\":\"bd-1\",\"title\":\"t\",\"status\":\"open\",\"priority\":2,\"issue_type\":\"task\",\"created_at\":\"2026-03-01T00:00:00Z\",\"created_by\":\"dana\",\"updated_at\":\"2026-03-01T00:00:00Z\"{line}}}"
    );
    record::parse_bead(text.as_bytes()).unwrap()
}

fn base_bead() -> Bead {
    bead_from_line("")
}

/// Returns the base bead with a change, updated at this minute.
fn edit_base(minute: u8, change: impl FnOnce(&mut Bead)) -> Bead {
    let mut bead = base_bead();
    bead.updated_at = minute_stamp(minute);
    change(&mut bead);
    bead
}

fn minute_stamp(minute: u8) -> Stamp {
    Stamp::parse(&format!("2026-03-01T00:{minute:02}:00Z"))
}

fn merge_three(base: &Bead, left: &Bead, right: &Bead) -> (Bead, Vec<(String, String)>) {
    let merge = merge_beads(Some(base), Some(left), Some(right));
    let swapped = merge_beads(Some(base), Some(right), Some(left));
    let bead = *merge.bead.unwrap();
    assert_eq!(
        bead,
        *swapped.bead.unwrap(),
        "left and right can be swapped"
    );
    assert_eq!(merge.lost, swapped.lost);
    let lost = merge.lost.into_iter().map(|lost| (lost.field, lost.value));
    (bead, lost.collect())
}

fn overruled(field: &str, value: &str) -> (String, String) {
    (field.to_owned(), value.to_owned())
}

fn close_at(bead: &mut Bead, minute: u8, reason: &str) {
    bead.status = Status::Closed;
    bead.closed_at = Some(minute_stamp(minute));
    bead.close_reason = reason.into();
}

fn delete_at(bead: &mut Bead, minute: u8) {
    bead.original_type = bead.issue_type.to_string();
    bead.status = Status::Tombstone;
    bead.closed_at = None;
    bead.deleted_at = Some(minute_stamp(minute));
    bead.deleted_by = "lee".into();
}

#[test]
fn changes_of_different_fields_are_both_kept() {
    let left = edit_base(1, |bead| bead.title = "new".into());
    let right = edit_base(2, |bead| bead.assignee = "lee".into());
    let (bead, lost) = merge_three(&base_bead(), &left, &right);
    assert_eq!(
        (bead.title.as_str(), bead.assignee.as_str()),
        ("new", "lee")
    );
    assert_eq!(bead.updated_at, minute_stamp(2));
    assert!(lost.is_empty());
}

#[test]
fn the_later_record_wins_a_conflict_and_the_overruled_value_is_reported() {
    let left = edit_base(3, |bead| bead.priority = 0);
    let right = edit_base(2, |bead| bead.priority = 4);
    let (bead, overruled_values) = merge_three(&base_bead(), &left, &right);
    assert_eq!(bead.priority, 0);
    assert_eq!(overruled_values, [overruled("priority", "4")]);
}

#[test]
fn unknown_keys_and_values_of_the_wrong_type_merge_like_any_other() {
    let base = bead_from_line(",\"x\":{\"a\":1},\"y\":1.50");
    let left = bead_from_line(",\"x\":{\"a\":2},\"y\":1.50,\"z\":[]");
    let right = bead_from_line(",\"x\":{\"a\":1},\"y\":1.500,\"estimated_minutes\":\"long\"");
    let (bead, _) = merge_three(&base, &left, &right);
    let line = String::from_utf8(record::serialize_bead(&bead)).unwrap();
    let wanted = "\"updated_at\":\"2026-03-01T00:00:00Z\",\"x\":{\"a\":2},\"y\":1.500,\"z\":[]";
    assert!(line.contains(wanted), "{line}");
    assert!(line.contains("\"estimated_minutes\":\"long\""), "{line}");
}

#[test]
fn another_spelling_of_an_instant_is_not_a_change() {
    let mut old = base_bead();
    old.due_at = Some(Stamp::parse("2026-04-01T00:00:00Z"));
    let mut left = old.clone();
    left.due_at = Some(Stamp::parse("2026-04-01T02:00:00+02:00"));
    left.updated_at = minute_stamp(9);
    let mut right = old.clone();
    right.due_at = None;
    let (bead, lost) = merge_three(&old, &left, &right);
    assert_eq!(bead.due_at, None);
    assert!(lost.is_empty());
}

#[test]
fn an_overruled_close_loses_all_its_closing_fields() {
    let left = edit_base(1, |bead| close_at(bead, 1, "done"));
    let right = edit_base(2, |bead| bead.status = Status::InProgress);
    let (bead, overruled_values) = merge_three(&base_bead(), &left, &right);
    assert_eq!((bead.status, bead.closed_at), (Status::InProgress, None));
    assert_eq!(bead.close_reason, "");
    let wanted = [
        overruled("close_reason", "\"done\""),
        overruled("closed_at", "\"2026-03-01T00:01:00Z\""),
        overruled("status", "\"closed\""),
    ];
    assert_eq!(overruled_values, wanted);
}

#[test]
fn a_bead_that_was_closed_again_stays_closed() {
    let mut old = base_bead();
    close_at(&mut old, 1, "first");
    let left = edit_base(2, |_| {});
    let right = edit_base(3, |bead| close_at(bead, 3, "first"));
    let (bead, _) = merge_three(&old, &left, &right);
    assert_eq!(
        (bead.status, bead.closed_at),
        (Status::Closed, Some(minute_stamp(3)))
    );
    assert_eq!(bead.close_reason, "first");
}

#[test]
fn a_deletion_wins_over_an_edit_and_keeps_its_text() {
    let left = edit_base(1, |bead| delete_at(bead, 1));
    let right = edit_base(9, |bead| {
        bead.notes = "more".into();
        bead.status = Status::InProgress;
    });
    let (bead, overruled_values) = merge_three(&base_bead(), &left, &right);
    assert!(bead.is_tombstone());
    assert_eq!(
        (bead.deleted_at, bead.notes.as_str()),
        (Some(minute_stamp(1)), "more")
    );
    assert_eq!(overruled_values, [overruled("status", "\"in_progress\"")]);
}

#[test]
fn any_edit_that_meets_a_deletion_is_reported_with_the_bead_status() {
    let mut old = base_bead();
    close_at(&mut old, 1, "done");
    let mut left = old.clone();
    delete_at(&mut left, 2);
    left.closed_at = None;
    let mut right = old.clone();
    right.title = "other".into();
    let (bead, overruled_values) = merge_three(&old, &left, &right);
    assert_eq!((bead.is_tombstone(), bead.title.as_str()), (true, "other"));
    let wanted = [
        overruled("closed_at", "\"2026-03-01T00:01:00Z\""),
        overruled("status", "\"closed\""),
    ];
    assert_eq!(overruled_values, wanted);
    let mut touched = old.clone();
    touched.updated_at = minute_stamp(9);
    let (bead, overruled_values) = merge_three(&old, &left, &touched);
    assert!(bead.is_tombstone() && overruled_values.is_empty());
}

#[test]
fn a_restored_bead_stays_and_the_later_of_two_deletions_counts() {
    let old = edit_base(1, |bead| delete_at(bead, 1));
    let (bead, _) = merge_three(&old, &base_bead(), &old);
    assert!(bead.is_open());
    let later = edit_base(5, |bead| delete_at(bead, 5));
    let (bead, _) = merge_three(&base_bead(), &old, &later);
    assert_eq!(bead.deleted_at, Some(minute_stamp(5)));
}

#[test]
fn labels_and_waiters_merge_as_sets() {
    let mut old = base_bead();
    old.labels = vec!["a".into(), "b".into()];
    old.waiters = vec!["z".into()];
    let mut left = old.clone();
    left.labels = vec!["a".into(), "c".into()];
    left.waiters.push("y".into());
    let mut right = old.clone();
    right.labels.push("d".into());
    right.waiters.push("x".into());
    let (bead, lost) = merge_three(&old, &left, &right);
    assert_eq!(bead.labels, ["a", "c", "d"]);
    assert_eq!(bead.waiters, ["z", "x", "y"]);
    assert!(lost.is_empty());
}

fn build_edge(target: &str, kind: DepKind, minute: u8) -> Dep {
    Dep {
        issue_id: "bd-1".into(),
        depends_on_id: target.into(),
        kind,
        created_at: minute_stamp(minute),
        ..Dep::default()
    }
}

#[test]
fn edges_of_both_sides_are_kept_and_removed_ones_stay_removed() {
    let mut old = base_bead();
    old.dependencies = vec![
        build_edge("bd-2", DepKind::Blocks, 1),
        build_edge("bd-3", DepKind::Blocks, 2),
    ];
    let mut left = old.clone();
    left.dependencies = vec![
        build_edge("bd-3", DepKind::Blocks, 2),
        build_edge("bd-9", DepKind::Related, 8),
    ];
    let mut right = old.clone();
    right
        .dependencies
        .push(build_edge("bd-4", DepKind::Tracks, 5));
    let (bead, lost) = merge_three(&old, &left, &right);
    let targets: Vec<_> = bead
        .dependencies
        .iter()
        .map(|edge| edge.depends_on_id.as_str())
        .collect();
    assert_eq!(targets, ["bd-3", "bd-4", "bd-9"]);
    assert!(lost.is_empty());
}

fn build_comment(id: i64, author: &str, text: &str, minute: u8) -> Comment {
    Comment {
        id,
        issue_id: "bd-1".into(),
        author: author.into(),
        text: text.into(),
        created_at: minute_stamp(minute),
        ..Comment::default()
    }
}

#[test]
fn comments_with_the_same_number_are_kept_and_edits_add_none() {
    let mut old = base_bead();
    old.comments = vec![
        build_comment(1, "dana", "first", 1),
        build_comment(2, "dana", "typo", 1),
    ];
    let mut left = old.clone();
    left.comments[1].text = "no typo".into();
    left.comments.push(build_comment(3, "lee", "later", 8));
    let mut right = old.clone();
    right.comments.push(build_comment(3, "kim", "earlier", 5));
    right.comments.push(build_comment(4, "lee", "later", 8));
    let (bead, lost) = merge_three(&old, &left, &right);
    let texts: Vec<_> = bead
        .comments
        .iter()
        .map(|comment| (comment.id, comment.text.as_str()))
        .collect();
    assert_eq!(
        texts,
        [(1, "first"), (2, "no typo"), (3, "earlier"), (4, "later")]
    );
    assert!(lost.is_empty());
}

#[test]
fn metadata_merges_key_by_key() {
    let old = bead_from_line(",\"metadata\":{\"a\":1,\"b\":2}");
    let left = bead_from_line(",\"metadata\":{\"a\":1,\"b\":3,\"d\":\"x\"}");
    let right = bead_from_line(",\"metadata\":{\"b\":4,\"c\":null}");
    let (bead, overruled_values) = merge_three(&old, &left, &right);
    assert_eq!(
        bead.metadata.unwrap().get(),
        "{\"b\":4,\"c\":null,\"d\":\"x\"}"
    );
    assert_eq!(overruled_values, [overruled("metadata.b", "3")]);
}

#[test]
fn an_absent_line_is_removed_unless_the_other_side_changed_it() {
    let old = base_bead();
    let gone = merge_beads(Some(&old), None, Some(&old));
    assert!(gone.bead.is_none() && !gone.kept);
    let changed = edit_base(1, |bead| bead.title = "new".into());
    let kept = merge_beads(Some(&old), Some(&changed), None);
    assert!(kept.bead.is_some() && kept.kept);
    let added = merge_beads(None, None, Some(&old));
    assert!(added.bead.is_some() && !added.kept);
    let stays_deleted = edit_base(1, |bead| delete_at(bead, 1));
    let deleted_twice = merge_beads(Some(&old), Some(&stays_deleted), None);
    assert!(deleted_twice.bead.is_some() && !deleted_twice.kept);
}

fn join_lines(lines: &[&str]) -> Vec<u8> {
    lines
        .iter()
        .flat_map(|line| [line, "\n"].concat().into_bytes())
        .collect()
}

/// Merges, asserts that left and right are interchangeable, and returns the text and the notes.
fn merge_symmetric(base: &[&str], left: &[&str], right: &[&str]) -> (String, Vec<MergeNote>) {
    let [base, left, right] = [base, left, right].map(join_lines);
    let merge = merge_files(&base, &left, &right, &|_| None).unwrap();
    assert_eq!(
        Ok(merge.clone()),
        merge_files(&base, &right, &left, &|_| None)
    );
    (String::from_utf8(merge.text).unwrap(), merge.notes)
}

const A: &str = r#"{"id":"a-1","title":"one","priority":2,"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}"#;
const A2: &str = r#"{"id":"a-1","title":"two","priority":2,"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-02T00:00:00Z"}"#;
const B: &str = r#"{"id":"a-1","title":"other","priority":2,"created_at":"2026-01-01T00:00:05Z","updated_at":"2026-01-01T00:00:00Z"}"#;
const C: &str = r#"{"id":"a-2","title":"c","priority":2,"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","dependencies":[{"issue_id":"a-2","depends_on_id":"a-1","type":"blocks","created_at":"2026-01-01T00:00:00Z"}]}"#;
const MEMORY: &str = r#"{"_type":"memory","key":"k"}"#;

#[test]
fn output_is_sorted_and_foreign_records_follow_byte_for_byte() {
    let (text, _) = merge_symmetric(&[], &[MEMORY, C], &[A]);
    assert_eq!(text.into_bytes(), join_lines(&[A, C, MEMORY]));
}

#[test]
fn colliding_beads_are_both_kept_and_edges_of_their_side_follow() {
    let (text, notes) = merge_symmetric(&[], &[A], &[B, C]);
    let Some(MergeNote::Moved { from, to }) = notes.first() else {
        panic!("{notes:?}")
    };
    assert_eq!(from, "a-1");
    let lines: Vec<Bead> = text
        .lines()
        .map(|line| record::parse_bead(line.as_bytes()).unwrap())
        .collect();
    let find = |id: &str| lines.iter().find(|bead| bead.id == id).unwrap();
    assert_eq!(find("a-1").title, "one");
    assert_eq!(find(to).title, "other");
    assert_eq!(former_id(find(to)).as_deref(), Some("a-1"));
    assert_eq!(&find("a-2").dependencies[0].depends_on_id, to);
}

#[test]
fn a_bead_in_the_base_never_collides_with_itself() {
    let mut other = edit_base(1, |bead| bead.title = "left".into());
    other.created_at = minute_stamp(9);
    other.created_by = String::new();
    let right = edit_base(2, |bead| bead.priority = 0);
    let (bead, _) = merge_three(&base_bead(), &other, &right);
    assert_eq!((bead.title.as_str(), bead.priority), ("left", 0));
    assert!(
        merge_beads(Some(&base_bead()), Some(&other), Some(&right))
            .moved
            .is_none()
    );
}

#[test]
fn a_creation_time_rounded_to_whole_seconds_is_not_a_collision() {
    let moved = |left: &str, right: &str, by: &str| {
        let made = |time: &str, by: &str| Bead {
            created_at: Stamp::parse(time),
            created_by: by.into(),
            ..base_bead()
        };
        let (left, right) = (made(left, "dana"), made(right, by));
        merge_beads(None, Some(&left), Some(&right)).moved.is_some()
    };
    assert!(!moved(
        "2026-03-01T00:00:30.7Z",
        "2026-03-01T00:00:30Z",
        "dana"
    ));
    assert!(!moved(
        "2026-03-01T00:00:31Z",
        "2026-03-01T01:00:30.7+01:00",
        "dana"
    ));
    assert!(moved(
        "2026-03-01T00:00:30.7Z",
        "2026-03-01T00:00:30.2Z",
        "dana"
    ));
    assert!(moved(
        "2026-03-01T00:00:30Z",
        "2026-03-01T00:00:31Z",
        "dana"
    ));
    assert!(moved(
        "2026-03-01T00:00:30.7Z",
        "2026-03-01T00:00:30Z",
        "lee"
    ));
}

#[test]
fn an_edit_follows_a_bead_that_the_other_side_moved() {
    let edited = B
        .replace("other", "edited")
        .replace("01T00:00:00Z\"}", "03T00:00:00Z\"}");
    let moved = String::from_utf8(
        merge_files(b"", &join_lines(&[A]), &join_lines(&[B]), &|_| None)
            .unwrap()
            .text,
    )
    .unwrap();
    let lines: Vec<&str> = moved.lines().collect();
    let (text, _) = merge_symmetric(&[B], &lines, &[&edited]);
    assert_eq!(text.lines().count(), 2);
    assert!(
        text.contains("\"title\":\"edited\"") && text.contains("\"title\":\"one\""),
        "{text}"
    );
}

#[test]
fn a_moved_bead_is_not_duplicated_after_its_replacement_is_removed() {
    let both = merge_files(b"", &join_lines(&[A]), &join_lines(&[B]), &|_| None)
        .unwrap()
        .text;
    let both = String::from_utf8(both).unwrap();
    let moved = both.lines().find(|line| line.contains("other")).unwrap();
    let edited = B.replace("other", "edited");
    let (text, _) = merge_symmetric(&[B], &[moved], &[&edited]);
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(
        text.contains("edited") && text.contains("former_id"),
        "{text}"
    );
}

#[test]
fn a_damaged_line_is_kept_and_is_not_a_removal() {
    let torn = &A[..40];
    let (merged, notes) = merge_symmetric(&[A, C], &[torn, C], &[A, C]);
    assert_eq!(merged.into_bytes(), join_lines(&[A, torn, C]));
    assert_eq!(notes, [MergeNote::Spared { id: "a-1".into() }]);
    let (merged, _) = merge_symmetric(&[A, C], &["{oops", C], &[A2, C]);
    assert_eq!(merged.into_bytes(), join_lines(&[A2, C, "{oops"]));
    // Two damaged lines of one bead, and no sound one.
    let other = &A[..50];
    let (both, _) = merge_symmetric(&[], &[torn], &[other]);
    assert_eq!(both.into_bytes(), join_lines(&[torn, other]));
    let (both, _) = merge_symmetric(&[], &[torn, other], &[other, torn]);
    assert_eq!(both.into_bytes(), join_lines(&[torn, other]));
    // A damaged line that was repaired does not return.
    let (merged, _) = merge_symmetric(&[A, "{oops"], &[A, "{oops"], &[A2]);
    assert_eq!(merged.into_bytes(), join_lines(&[A2]));
}

#[test]
fn two_lines_of_one_bead_are_merged_against_the_base() {
    let left = A.replace("\"priority\":2", "\"priority\":1");
    let (text, _) = merge_symmetric(&[A], &[&left, A2], &[A]);
    assert_eq!(text.lines().count(), 1);
    assert!(
        text.contains("\"title\":\"two\",\"status\":\"open\",\"priority\":1"),
        "{text}"
    );
}

#[test]
fn conflict_markers_are_refused_with_file_and_line() {
    let bad = join_lines(&[A, "<<<<<<< ours"]);
    let refused = merge_files(&join_lines(&[A]), &bad, &join_lines(&[A]), &|_| None);
    let which = MergeSide::Left;
    assert_eq!(refused, Err(MergeError::Marker { which, line: 2 }));
}

#[test]
fn archived_beads_stay_archived_unless_the_other_side_changes_them() {
    let archive = |id: &str| (id == "a-1").then(|| record::parse_bead(A2.as_bytes()).unwrap());
    let merge = |base: &[&str], right: &[&str]| {
        let merged = merge_files(&join_lines(base), b"", &join_lines(right), &archive).unwrap();
        assert_eq!(
            Ok(merged.clone()),
            merge_files(&join_lines(base), &join_lines(right), b"", &archive)
        );
        merged
    };
    let stays = [MergeNote::Archived { id: "a-1".into() }];
    // An earlier state that the base does not have, as after a squashed merge.
    assert_eq!(merge(&[], &[A]).notes, stays);
    assert!(merge(&[], &[A]).text.is_empty());
    assert!(merge(&[A], &[A]).text.is_empty());
    assert_eq!(
        merge(&[], &[A2]).text,
        join_lines(&[A2]),
        "it was brought back"
    );
    let edited = A.replace("\"priority\":2", "\"priority\":1");
    let both = merge(&[A], &[&edited]);
    assert_eq!(both.notes, [MergeNote::Kept { id: "a-1".into() }]);
    let bead = record::parse_bead(&both.text).unwrap();
    assert_eq!((bead.title.as_str(), bead.priority), ("two", 1));
}
