//! Lines that left the issues when git rolled these back, and their restoration.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::crash::age_file;
use super::{StoreFixture, bead_line, property_cases, test_author};
use crate::bead::{Bead, Status};
use crate::change;
use crate::store::StoreError;
use crate::store::commit::rollback;
use crate::store::exchange::UnitedStore;
use crate::store::log::event::Event;
use crate::store::log::journal;
use crate::store::view::source::OpenFiles;
use kit::sys::RandomSource;

impl StoreFixture {
    /// Replaces the issues by another text, as `git reset --hard` does.
    pub(super) fn roll_back_to(&self, text: &str) {
        let path = self.dir.join("issues.jsonl");
        // In the way that git does it.
        fs::remove_file(&path).unwrap();
        fs::write(&path, text).unwrap();
        age_file(&path);
    }

    pub(super) fn edit(&self, id: &str, how: impl Fn(&mut Bead)) {
        self.change(|tx| Ok(change::amend_bead(tx, id, &how)?))
            .unwrap();
    }

    /// Returns the ids of the rolled-back beads that wait for a decision.
    fn undecided_ids(&self) -> Vec<String> {
        let left = self.store.rolled_back().unwrap();
        left.into_iter().map(|change| change.id).collect()
    }

    fn restore(&self) -> BTreeMap<String, BTreeSet<String>> {
        let done = self
            .store
            .restore_rolled_back(&test_author(), &self.clock, None);
        done.unwrap()
    }

    fn bead(&self, id: &str) -> Bead {
        self.store.snapshot().unwrap().get(id).cloned().unwrap()
    }
}

fn set_title(text: &str) -> impl Fn(&mut Bead) {
    let text = text.to_owned();
    move |bead| bead.title.clone_from(&text)
}

fn set_priority(number: i64) -> impl Fn(&mut Bead) {
    move |bead| bead.priority = number
}

/// Returns a store with one external bead that was edited here.
fn build_edited_store() -> (StoreFixture, String) {
    let place = StoreFixture::with_issues(&format!("{}\n", bead_line("bd-a", "x")));
    let old = place.text("issues.jsonl");
    place.edit("bd-a", set_title("Two"));
    (place, old)
}

#[test]
fn rolled_back_lines_are_restored_byte_for_byte() {
    let (place, old) = build_edited_store();
    let whole = place.text("issues.jsonl");
    for gone in [old.as_str(), ""] {
        place.roll_back_to(gone);
        assert_eq!(place.undecided_ids(), ["bd-a"]);
        assert_eq!(
            place.text("issues.jsonl"),
            gone,
            "nothing is revived silently"
        );
        assert!(place.restore()["bd-a"].is_empty());
        assert_eq!(place.text("issues.jsonl"), whole);
        assert!(place.undecided_ids().is_empty());
        assert!(!place.dir.join("rollback.jsonl").exists());
    }
}

/// Rolls a bead back twice. Its priority is 2 in the oldest and the last state, and 3 between them.
/// Returns the states, oldest first.
fn build_store_rolled_back_twice() -> (StoreFixture, [String; 3]) {
    let (place, old) = build_edited_store();
    place.edit("bd-a", |bead| {
        bead.priority = 3;
        bead.labels.push("l0".to_owned());
    });
    let middle = place.text("issues.jsonl");
    place.edit("bd-a", set_priority(2));
    let whole = place.text("issues.jsonl");
    for state in [&middle, &old] {
        place.roll_back_to(state);
        place.store.snapshot().unwrap();
    }
    (place, [old, middle, whole])
}

#[test]
fn two_rollbacks_in_a_row_are_undone_to_the_last_state() {
    let (place, [_, _, whole]) = build_store_rolled_back_twice();
    assert_eq!(place.undecided_ids(), ["bd-a", "bd-a"]);
    place.restore();
    assert_eq!(place.text("issues.jsonl"), whole);
    assert!(place.undecided_ids().is_empty());
}

#[test]
fn rollbacks_that_git_took_back_are_not_reported() {
    let (place, [old, middle, whole]) = build_store_rolled_back_twice();
    place.roll_back_to(&middle);
    assert_eq!(place.undecided_ids(), ["bd-a"]);
    place.roll_back_to(&whole);
    assert!(place.undecided_ids().is_empty());
    // Directly from the oldest state.
    place.roll_back_to(&middle);
    place.store.snapshot().unwrap();
    place.roll_back_to(&old);
    assert_eq!(place.undecided_ids(), ["bd-a", "bd-a"]);
    place.roll_back_to(&whole);
    assert!(place.undecided_ids().is_empty());
}

#[test]
fn an_edit_after_two_rollbacks_stays_when_they_are_undone() {
    let (place, _) = build_store_rolled_back_twice();
    place.edit("bd-a", set_priority(3));
    place.restore();
    let bead = place.bead("bd-a");
    assert_eq!((bead.title.as_str(), bead.priority), ("Two", 3));
    assert!(bead.has_label("l0"));
}

#[test]
fn a_rollback_during_a_fold_is_reported() {
    let (place, old) = build_edited_store();
    place
        .change(|tx| {
            place.roll_back_to(&old);
            Ok(change::amend_bead(tx, "bd-a", set_priority(0))?)
        })
        .unwrap();
    assert_eq!(place.bead("bd-a").priority, 0);
    assert_eq!(place.undecided_ids(), ["bd-a"]);
    place.restore();
    assert_eq!(place.bead("bd-a").title, "Two");
}

#[test]
fn a_rollback_during_the_comparison_is_reported_by_the_next_command() {
    let (place, old) = build_edited_store();
    let whole = place.text("issues.jsonl");
    let path = place.dir.join("issues.jsonl");
    // An external change of another bead is read; then git changes the file before it is kept.
    for is_absent in [false, true] {
        place.roll_back_to(&format!("{whole}{}\n", bead_line("bd-b", "y")));
        let read = OpenFiles::read(&place.store.paths).unwrap();
        assert!(rollback::is_due(&read.source, true));
        let kept = place.text("issues.kept");
        if is_absent {
            fs::remove_file(&path).unwrap();
        } else {
            place.roll_back_to(&old);
        }
        assert_eq!(rollback::compare_with_kept(&read).unwrap(), None);
        assert_eq!(
            place.text("issues.kept"),
            kept,
            "what was not compared is not kept"
        );
        if is_absent {
            fs::write(&path, &old).unwrap();
            age_file(&path);
        }
        assert_eq!(place.undecided_ids(), ["bd-a"], "absent: {is_absent}");
        place.restore();
        assert_eq!(place.bead("bd-a").title, "Two");
        place.edit("bd-a", set_title("Two"));
    }
}

#[test]
fn restoring_an_edited_bead_merges_fields_and_names_conflicts() {
    let (place, old) = build_edited_store();
    place.edit("bd-a", |bead| bead.notes = "kept".into());
    place.roll_back_to(&old);
    place.edit("bd-a", |bead| {
        bead.title = "Later".into();
        bead.priority = 0;
    });
    let kept = &place.restore()["bd-a"];
    assert_eq!(kept.iter().collect::<Vec<_>>(), ["title"]);
    let bead = place.bead("bd-a");
    assert_eq!(
        (bead.title.as_str(), bead.notes.as_str(), bead.priority),
        ("Later", "kept", 0)
    );
    assert!(place.undecided_ids().is_empty());
}

#[test]
fn reordered_foreign_and_damaged_lines_do_not_hide_a_rollback() {
    let ids = ["bd-a", "bd-b", "bd-c"];
    let place = StoreFixture::with_issues(&ids.map(|id| bead_line(id, "x") + "\n").concat());
    let old = place.text("issues.jsonl");
    place.edit("bd-b", set_title("Two"));
    let whole = place.text("issues.jsonl");
    let turned: Vec<&str> = whole.lines().rev().collect();
    place.roll_back_to(&turned.join("\n"));
    assert!(place.undecided_ids().is_empty(), "the same lines are there");
    // The kept issues are in another order now.
    place.roll_back_to(&format!("{{\"_type\":\"memory\",\"key\":\"k\"}}\n{old}"));
    assert_eq!(place.undecided_ids(), ["bd-b"]);
    place.restore();
    assert_eq!(place.bead("bd-b").title, "Two");
    let cut = whole.replace("\"title\":\"Two\"", "\"title\":\"T");
    assert_ne!(cut, whole);
    place.roll_back_to(&cut);
    assert_eq!(place.undecided_ids(), ["bd-b"]);
}

#[test]
fn the_effective_one_of_two_lines_with_one_id_is_compared() {
    let (place, old) = build_edited_store();
    let current = place.text("issues.jsonl");
    let newer = current.replace("\"updated_at\":\"2026-01", "\"updated_at\":\"2026-09");
    for both in [format!("{old}{newer}"), format!("{newer}{old}")] {
        place.roll_back_to(&both);
        assert!(place.undecided_ids().is_empty(), "{both}");
        assert_eq!(place.bead("bd-a").title, "Two");
    }
    place.roll_back_to(&old);
    assert_eq!(place.undecided_ids(), ["bd-a"]);
}

#[test]
fn a_discarded_rollback_is_not_reported_again() {
    let (place, old) = build_edited_store();
    place.roll_back_to(&old);
    assert_eq!(place.undecided_ids(), ["bd-a"]);
    place.store.discard_rolled_back(None).unwrap();
    assert!(place.undecided_ids().is_empty());
    place.edit("bd-a", set_priority(0));
    assert!(place.undecided_ids().is_empty());
    assert_eq!(place.bead("bd-a").title, "x");
}

#[test]
fn lines_restored_by_other_means_are_not_reported() {
    let (place, old) = build_edited_store();
    let whole = place.text("issues.jsonl");
    place.roll_back_to(&old);
    assert_eq!(place.undecided_ids(), ["bd-a"]);
    place.roll_back_to(&whole);
    assert!(place.undecided_ids().is_empty());
}

#[test]
fn an_edit_from_outside_is_not_a_rollback() {
    let (place, _) = build_edited_store();
    let current = place.text("issues.jsonl");
    let newer = current.replace("\"updated_at\":\"2026-01", "\"updated_at\":\"2026-09");
    assert_ne!(current, newer);
    // A change based on ours; a change of another field without ours; a change by hand.
    for theirs in [
        newer.replace("Two", "Three"),
        newer.replace("\"title\"", "\"notes\":\"theirs\",\"title\""),
        current.replace("Two", "By hand"),
    ] {
        place.roll_back_to(&theirs);
        assert!(place.undecided_ids().is_empty(), "{theirs}");
        place.roll_back_to(&current);
        place.store.snapshot().unwrap();
        place.store.discard_rolled_back(None).unwrap();
    }
}

#[test]
fn a_restored_change_is_merged_with_a_later_edit() {
    let (place, old) = build_edited_store();
    let theirs = old
        .replace("\"updated_at\":\"2026-01", "\"updated_at\":\"2026-09")
        .replace("\"title\"", "\"notes\":\"theirs\",\"title\"");
    place.roll_back_to(&theirs);
    assert_eq!(place.undecided_ids(), ["bd-a"]);
    place.restore();
    let bead = place.bead("bd-a");
    assert_eq!(
        (bead.title.as_str(), bead.notes.as_str()),
        ("Two", "theirs")
    );
}

#[test]
fn a_later_line_without_our_change_is_reported_each_time_it_appears() {
    let (place, old) = build_edited_store();
    let whole = place.text("issues.jsonl");
    let theirs = old
        .replace("\"updated_at\":\"2026-01", "\"updated_at\":\"2026-09")
        .replace("\"title\"", "\"notes\":\"theirs\",\"title\"");
    for _ in 0..2 {
        place.roll_back_to(&theirs);
        assert_eq!(place.undecided_ids(), ["bd-a"]);
        place.roll_back_to(&whole);
        assert!(place.undecided_ids().is_empty());
    }
}

/// Syncs with a clone `b` that added members to the lists of a bead. History has only a part of
/// large ones.
fn sync_added_members(place: &StoreFixture, id: &str, added: &Value, are_large: bool) {
    let added = added.as_object().unwrap();
    let nulls: serde_json::Map<_, _> = added.keys().map(|key| (key.clone(), Value::Null)).collect();
    let parts: serde_json::Map<_, _> = added
        .iter()
        .map(|(key, new)| {
            (
                key.clone(),
                json!({"at": 0, "old": "", "new": new.to_string()}),
            )
        })
        .collect();
    let change = if are_large {
        json!({"id": id, "old": nulls, "new": nulls, "parts": parts})
    } else {
        json!({"id": id, "old": nulls, "new": added})
    };
    let theirs = json!({
        "id": "theirs", "at": "2026-01-02T00:00:00Z", "actor": "b", "changes": [change],
    });
    let event: Event = serde_json::from_value(theirs).unwrap();
    place
        .store
        .exchange(
            &place.clock,
            &RandomSource::choose(Some("3")),
            |current| -> Result<_, StoreError> {
                let mut bead: Value = serde_json::from_slice(&current.issues).unwrap();
                bead.as_object_mut().unwrap().extend(added.clone());
                Ok(UnitedStore {
                    issues: format!("{bead}\n").into_bytes(),
                    events: [("b/2026-01.jsonl".into(), journal::encode_sealed(&event))].into(),
                    ..UnitedStore::default()
                })
            },
        )
        .unwrap();
}

#[test]
fn members_that_came_by_a_sync_are_restored_with_those_that_were_added_here() {
    for are_large in [false, true] {
        check_members_after_a_sync(are_large);
    }
}

fn check_members_after_a_sync(are_large: bool) {
    let place = StoreFixture::with_issues("");
    let id = place.make("One");
    let label = |label: &str| place.change(|tx| Ok(change::add_label(tx, &id, label)?));
    label("first").unwrap();
    let comment = |number: i64| {
        json!({
            "id": number, "issue_id": id, "author": "b", "text": format!("Comment {number}"),
            "created_at": "2026-01-02T00:00:00Z",
        })
    };
    // As after an earlier sync, whose result is the state of no event.
    let earlier = json!({"waiters": ["someone"], "comments": [comment(1)]});
    sync_added_members(&place, &id, &earlier, are_large);
    let committed = place.text("issues.jsonl");
    let edge = json!({
        "issue_id": id, "depends_on_id": "bd-z", "type": "blocks",
        "created_at": "2026-01-02T00:00:00Z", "created_by": "b",
    });
    let theirs = json!({
        "labels": ["first", "theirs"], "comments": [comment(1), comment(2)], "dependencies": [edge],
        "waiters": ["someone", "another"],
    });
    sync_added_members(&place, &id, &theirs, are_large);
    label("ours").unwrap();
    place.roll_back_to(&committed);
    assert_eq!(place.undecided_ids(), [id.as_str()]);
    place.restore();
    let bead = place.bead(&id);
    assert_eq!(bead.labels, ["first", "ours", "theirs"]);
    assert_eq!((bead.comments.len(), bead.dependencies.len()), (2, 1));
    assert_eq!(bead.waiters, ["someone", "another"]);
}

#[test]
fn a_member_that_another_program_removed_from_a_known_state_is_no_rollback() {
    let place = StoreFixture::with_issues("");
    let id = place.make("One");
    place
        .change(|tx| Ok(change::add_label(tx, &id, "first")?))
        .unwrap();
    place.edit(&id, |bead| bead.notes = "later".to_owned());
    place.edit(&id, set_title("Two"));
    let whole = place.text("issues.jsonl");
    let without = whole.replace(",\"labels\":[\"first\"]", "");
    assert_ne!(whole, without);
    place.roll_back_to(&without);
    assert!(place.undecided_ids().is_empty());
}

#[test]
fn the_line_found_is_compared_with_every_state_of_a_bead_created_here() {
    let place = StoreFixture::with_issues("");
    let id = place.make("One");
    let created = place.text("issues.jsonl");
    place.edit(&id, set_title("Two"));
    place.edit(&id, |bead| bead.labels.push("ours".into()));
    let whole = place.text("issues.jsonl");
    let later = |text: &str| {
        let changed = text.replace("\"updated_at\":\"2026-01", "\"updated_at\":\"2026-09");
        assert_ne!(text, changed);
        changed
    };
    let with_notes = |text: &str| text.replace("\"title\"", "\"notes\":\"theirs\",\"title\"");
    // By hand, and by another clone that has all of ours.
    for text in [with_notes(&whole), later(&with_notes(&whole))] {
        place.roll_back_to(&text);
        assert!(place.undecided_ids().is_empty(), "{text}");
        place.roll_back_to(&whole);
        place.store.snapshot().unwrap();
        place.store.discard_rolled_back(None).unwrap();
    }
    // By another clone that has the bead as it was created.
    place.roll_back_to(&later(&with_notes(&created)));
    assert_eq!(place.undecided_ids(), [id.as_str()]);
    place.restore();
    let bead = place.bead(&id);
    assert_eq!(
        (bead.title.as_str(), bead.notes.as_str()),
        ("Two", "theirs")
    );
    assert!(bead.has_label("ours"));
}

#[test]
fn a_rollback_is_reported_without_readable_history() {
    for text in [None, Some("junk\n{\"id\":\"bd-a\"}\n")] {
        let (place, old) = build_edited_store();
        let events = place.dir.join("events.local.jsonl");
        match text {
            None => fs::remove_file(&events).unwrap(),
            Some(text) => fs::write(&events, text).unwrap(),
        }
        place.roll_back_to(&old);
        assert_eq!(place.undecided_ids(), ["bd-a"]);
        place.restore();
        assert_eq!(place.bead("bd-a").title, "Two");
    }
}

#[test]
fn a_removed_bead_that_others_changed_since_is_not_a_rollback() {
    let (place, _) = build_edited_store();
    let whole = place.text("issues.jsonl");
    place.change(|tx| Ok(tx.erase("bd-a")?)).unwrap();
    let changed = whole.replace("\"updated_at\":\"2026-01", "\"updated_at\":\"2026-09");
    place.roll_back_to(&changed);
    assert!(place.undecided_ids().is_empty());
    place.change(|tx| Ok(tx.erase("bd-a")?)).unwrap();
    for text in [&whole, &changed] {
        place.roll_back_to(text);
        assert_eq!(place.undecided_ids(), ["bd-a"], "{text}");
        place.roll_back_to("");
        assert!(place.undecided_ids().is_empty());
    }
}

#[test]
fn restoring_a_rolled_back_deletion_keeps_a_bead_edited_since() {
    let (place, old) = build_edited_store();
    place
        .change(|tx| Ok(change::delete_bead(tx, "bd-a", "", false)?))
        .unwrap();
    place.roll_back_to(&old);
    assert_eq!(place.undecided_ids(), ["bd-a"]);
    place.edit("bd-a", set_priority(0));
    assert_eq!(
        place.restore()["bd-a"],
        BTreeSet::from(["status".to_owned()])
    );
    assert_eq!(place.bead("bd-a").status, Status::Open);
    assert!(place.undecided_ids().is_empty());
}

#[test]
fn archived_beads_and_unfinished_merges_are_not_rollbacks() {
    let place = StoreFixture::with_issues(&format!("{}\n", bead_line("bd-a", "x")));
    place.edit("bd-a", set_title("Two"));
    let whole = place.text("issues.jsonl");
    let marked = format!("<<<<<<< ours\n=======\n{whole}>>>>>>> theirs\n");
    place.roll_back_to(&marked);
    place.store.snapshot().unwrap();
    assert!(!place.dir.join("rollback.jsonl").exists());
    place.roll_back_to(&whole);
    fs::create_dir_all(place.dir.join("archive")).unwrap();
    fs::write(place.dir.join("archive/2026.jsonl"), &whole).unwrap();
    place.roll_back_to("");
    assert!(place.undecided_ids().is_empty());
}

#[test]
fn only_the_rolled_back_line_waits_not_its_pending_change() {
    let (place, old) = build_edited_store();
    place.store.fold(&place.clock).unwrap();
    let deferred = place.with_deferred_folds();
    deferred.edit("bd-a", set_priority(0));
    place.roll_back_to(&old);
    assert_eq!(place.undecided_ids(), ["bd-a"]);
    place.store.fold(&deferred.clock).unwrap();
    assert_eq!(place.text("journal.jsonl"), "");
    assert_eq!(place.undecided_ids(), ["bd-a"]);
    deferred.restore();
    let bead = place.bead("bd-a");
    assert_eq!((bead.title.as_str(), bead.priority), ("Two", 0));
    assert!(place.undecided_ids().is_empty());
}

#[test]
fn issues_of_every_size_are_kept_by_a_copy() {
    use std::os::unix::fs::MetadataExt;
    let place = StoreFixture::with_issues(&format!("{}\n", bead_line("bd-a", "x")));
    let links = || {
        fs::metadata(place.dir.join("issues.jsonl"))
            .unwrap()
            .nlink()
    };
    place.edit("bd-a", set_title("Two"));
    assert_eq!(links(), 1);
    place.edit("bd-a", |bead| bead.notes = "long ".repeat(300_000));
    place.store.fold(&place.clock).unwrap();
    assert_eq!(links(), 1);
    let whole = place.text("issues.jsonl");
    place.roll_back_to(&format!("{}\n", bead_line("bd-a", "x")));
    assert_eq!(place.undecided_ids(), ["bd-a"]);
    place.restore();
    place.store.fold(&place.clock).unwrap();
    assert_eq!(place.text("issues.jsonl"), whole);
}

#[test]
fn a_link_that_an_earlier_version_kept_becomes_a_copy() {
    let place = StoreFixture::with_issues(&format!("{}\n", bead_line("bd-a", "x")));
    place.edit("bd-a", set_title("Two"));
    place.store.fold(&place.clock).unwrap();
    let [issues, kept] = ["issues.jsonl", "issues.kept"].map(|name| place.dir.join(name));
    fs::remove_file(&kept).unwrap();
    fs::hard_link(&issues, &kept).unwrap();
    place.store.snapshot().unwrap();
    fs::write(&issues, "").unwrap();
    assert_eq!(place.undecided_ids(), ["bd-a"]);
}

#[test]
fn several_rollbacks_are_restored_together() {
    let old = bead_line("bd-a", "x").replace("\"updated_at\":\"2026", "\"updated_at\":\"2025");
    let place = StoreFixture::with_issues(&format!("{old}\n"));
    let old = place.text("issues.jsonl");
    place.edit("bd-a", |bead| bead.labels.push("l".into()));
    let labelled = place.text("issues.jsonl");
    place.edit("bd-a", set_title("Two"));
    for text in [&labelled, &old] {
        place.roll_back_to(text);
        assert_eq!(place.undecided_ids().last().unwrap(), "bd-a");
    }
    place.restore();
    let bead = place.bead("bd-a");
    assert!(bead.has_label("l"));
    assert_eq!(bead.title, "Two");
    assert!(place.undecided_ids().is_empty());
}

#[test]
fn a_message_names_some_beads_and_counts_the_others() {
    assert_eq!(rollback::format_some(&["a", "b"]), "a, b");
    let many: Vec<String> = (0..7).map(|number| number.to_string()).collect();
    assert_eq!(rollback::format_some(&many), "0, 1, 2, 3, 4 and 2 more");
}

#[test]
fn an_external_deletion_over_our_change_is_reported_and_recorded() {
    let place = StoreFixture::with_issues(&format!("{}\n", bead_line("bd-a", "x")));
    let deferred = place.with_deferred_folds();
    deferred.edit("bd-a", set_title("Ours"));
    let deleted = bead_line("bd-a", "x").replace("\"open\"", "\"tombstone\"");
    let deleted = deleted.strip_suffix('}').unwrap();
    place.roll_back_to(&format!(
        "{deleted},\"deleted_at\":\"2026-01-02T00:00:00Z\"}}\n"
    ));
    place.store.fold(&deferred.clock).unwrap();
    let notices = place.store.reports.take_notices().join("\n");
    assert!(
        notices.contains("of bd-a (status) one side gave way"),
        "{notices}"
    );
    let history = place.store.events().unwrap();
    place
        .change(|tx| Ok(change::revive_beads(tx, &["bd-a".into()], &history)?))
        .unwrap();
    let bead = place.store.snapshot().unwrap().take("bd-a").unwrap();
    assert_eq!((bead.status, bead.title.as_str()), (Status::Open, "Ours"));
}

#[test]
fn comments_overruled_by_an_external_change_stay_in_history() {
    let comment = |number: u8, text: &str| {
        format!(
            r#"{{"id":{number},"issue_id":"bd-a","author":"dana","text":"{text}","created_at":"2026-01-0{number}T00:00:00Z"}}"#
        )
    };
    let with = |texts: [&str; 2], updated: &str| {
        let comments = [comment(1, texts[0]), comment(2, texts[1])].join(",");
        let line = bead_line("bd-a", "x").replace("\"updated_at\":\"2026-01", updated);
        let line = line.strip_suffix('}').unwrap();
        format!("{line},\"comments\":[{comments}]}}\n")
    };
    let same = "\"updated_at\":\"2026-01";
    let place = StoreFixture::with_issues(&with(["one", "two"], same));
    let deferred = place.with_deferred_folds();
    deferred.edit("bd-a", |bead| {
        for comment in &mut bead.comments {
            comment.text.push_str(", ours");
        }
    });
    let newer = "\"updated_at\":\"2026-09";
    place.roll_back_to(&with(["one, theirs", "two, theirs"], newer));
    place.store.fold(&deferred.clock).unwrap();
    let events = place.store.events_of("bd-a").unwrap();
    let lost = events.last().unwrap().changes[0].lost.as_ref().unwrap();
    let comments: Vec<serde_json::Value> =
        serde_json::from_str(lost.raw_text("comments").unwrap()).unwrap();
    let texts: Vec<_> = comments.iter().map(|lost| lost["text"].as_str()).collect();
    assert_eq!(texts, [Some("one, ours"), Some("two, ours")], "{lost:?}");
    assert_eq!(lost.keys().count(), 1);
}

/// One step of a random history of a bead.
#[derive(Debug, Clone, Copy)]
enum RollbackAction {
    Title(u8),
    Label(u8),
    Priority(u8),
    Save,
    GoBack(u8),
    Restore,
}

fn any_actions() -> impl Strategy<Value = Vec<RollbackAction>> {
    let act = prop_oneof![
        any::<u8>().prop_map(RollbackAction::Title),
        any::<u8>().prop_map(RollbackAction::Label),
        any::<u8>().prop_map(RollbackAction::Priority),
        Just(RollbackAction::Save),
        any::<u8>().prop_map(RollbackAction::GoBack),
        Just(RollbackAction::Restore),
    ];
    proptest::collection::vec(act, 1..20)
}

proptest! {
    #![proptest_config(property_cases(64))]

    #[test]
    fn every_label_exists_after_a_full_restore(acts in any_actions(), late: bool) {
        // The clock of the fixture starts after this time.
        let text = bead_line("bd-a", "x").replace("\"updated_at\":\"2026", "\"updated_at\":\"2025");
        let first = StoreFixture::with_issues(&format!("{text}\n"));
        let place = if late { first.with_deferred_folds() } else { first };
        place.store.snapshot().unwrap();
        let mut saved = vec![place.text("issues.jsonl")];
        let mut labels = BTreeSet::new();
        let mut goes_back = false;
        for act in acts {
            match act {
                RollbackAction::Title(number) => place.edit("bd-a", set_title(&format!("t{number}"))),
                RollbackAction::Priority(number) => place.edit("bd-a", set_priority(i64::from(number % 5))),
                RollbackAction::Label(number) => {
                    let label = format!("l{number}");
                    place.edit("bd-a", |bead| bead.labels.push(label.clone()));
                    labels.insert(label);
                }
                RollbackAction::Save => {
                    place.store.fold(&place.clock).unwrap();
                    saved.push(place.text("issues.jsonl"));
                }
                RollbackAction::GoBack(number) => {
                    // A reset to an earlier state, as git does it.
                    saved.truncate(usize::from(number) % saved.len() + 1);
                    place.roll_back_to(&saved[saved.len() - 1]);
                    goes_back = true;
                    place.store.snapshot().unwrap();
                }
                RollbackAction::Restore => drop(place.restore()),
            }
        }
        prop_assert!(goes_back || place.undecided_ids().is_empty());
        place.restore();
        let bead = place.bead("bd-a");
        for label in &labels {
            prop_assert!(bead.has_label(label), "{label} of {labels:?}: {:?}", bead.labels);
        }
        prop_assert!(place.undecided_ids().is_empty());
    }
}

/// Returns a store with more than 1 MiB of issues from outside.
fn build_large_store() -> StoreFixture {
    let title = "x".repeat(400);
    let lines =
        (0..4000).map(|number| format!("{}\n", bead_line(&format!("bd-{number:04}"), &title)));
    let place = StoreFixture::with_issues(&lines.collect::<String>());
    age_file(&place.dir.join("issues.jsonl"));
    place.edit("bd-0000", set_title("Folded"));
    place.store.fold(&place.clock).unwrap();
    place
}

/// Opens the issues for writing, as an editor or `: >` does, and leaves only `text`.
fn overwrite_issues(place: &StoreFixture, text: &str) {
    let path = place.dir.join("issues.jsonl");
    fs::write(&path, text).unwrap();
    let file = fs::File::options().write(true).open(path).unwrap();
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_100);
    file.set_modified(time).unwrap();
}

#[test]
fn large_issues_that_a_program_emptied_are_rolled_back_and_can_be_restored() {
    let place = build_large_store();
    let whole = place.text("issues.jsonl");
    let two: String = whole.split_inclusive('\n').take(2).collect();
    for text in ["", &two] {
        overwrite_issues(&place, text);
        let left = place.undecided_ids();
        assert_eq!(left.len(), 4000 - text.lines().count());
        let notices = place.store.reports.take_notices();
        assert!(notices[0].contains("was rolled back"), "{notices:?}");
        place.restore();
        place.store.fold(&place.clock).unwrap();
        assert!(place.text("issues.jsonl") == whole);
        assert!(place.undecided_ids().is_empty());
    }
    let leftovers = fs::read_dir(&place.dir).unwrap().flatten();
    let mut names = leftovers.map(|entry| entry.file_name().into_string().unwrap());
    assert!(!names.any(|name| name.starts_with(".tmp-")));
}

#[test]
fn large_issues_from_outside_are_kept_at_once() {
    let place = build_large_store();
    let pulled = place.text("issues.jsonl").replacen("Folded", "Pulled", 1);
    place.roll_back_to(&pulled);
    place.store.snapshot().unwrap();
    overwrite_issues(&place, "");
    assert_eq!(place.undecided_ids().len(), 4000);
}

#[test]
fn a_write_after_large_issues_were_emptied_reports_them_first() {
    let place = build_large_store();
    overwrite_issues(&place, "");
    place.make("New");
    let notices = place.store.reports.take_notices();
    assert!(notices[0].contains("was rolled back"), "{notices:?}");
    place.restore();
    assert_eq!(place.ids().len(), 4001);
}
