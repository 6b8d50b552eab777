//! Changes that left the file when it went back to an older state, and doing them again.

use std::collections::BTreeSet;
use std::fs;

use proptest::prelude::*;

use super::super::{history, notice, source};
use super::crash::settle;
use super::{Place, cases, line};
use crate::bead::{Bead, Status};
use crate::{change, merge};

impl Place {
    /// The issues are an older text again, as after `git reset --hard`.
    pub(super) fn goes_back_to(&self, text: &str) {
        let path = self.dir.join("issues.jsonl");
        fs::write(&path, text).unwrap();
        settle(&path);
    }

    pub(super) fn edit(&self, id: &str, how: impl Fn(&mut Bead)) {
        self.change(|tx| Ok(change::amend(tx, id, &how)?)).unwrap();
    }

    /// How many changes each bead lacks.
    fn lacks(&self) -> Vec<(String, usize)> {
        let lost = self.store.lost().unwrap().lacking.into_iter();
        lost.map(|(id, lacking)| (id, lacking.events.len()))
            .collect()
    }

    /// Does all that is lost again; the fields that had been edited since.
    fn restore(&self) -> BTreeSet<String> {
        let lost = self.store.lost().unwrap().lacking;
        let done = self.change(|tx| {
            let mut kept = BTreeSet::new();
            for (id, lacking) in &lost {
                kept.extend(change::redo(tx, id, lacking)?);
            }
            Ok(kept)
        });
        done.unwrap()
    }

    fn bead(&self, id: &str) -> Bead {
        self.store.snapshot().unwrap().get(id).cloned().unwrap()
    }
}

fn title(text: &str) -> impl Fn(&mut Bead) {
    let text = text.to_owned();
    move |bead| bead.title.clone_from(&text)
}

fn priority(number: i64) -> impl Fn(&mut Bead) {
    move |bead| bead.priority = number
}

#[test]
fn what_was_lost_before_a_later_edit_is_found_and_done_again_once() {
    let place = Place::new();
    let id = place.make("One");
    let old = place.text("issues.jsonl");
    place.edit(&id, title("Two"));
    place.edit(&id, |bead| bead.labels.push("mine".into()));
    place.goes_back_to(&old);
    assert_eq!(place.lacks(), [(id.clone(), 2)]);
    place.edit(&id, priority(0));
    place.edit(&id, |bead| bead.labels.push("later".into()));
    assert_eq!(place.lacks(), [(id.clone(), 2)]);
    assert!(place.restore().is_empty());
    let bead = place.bead(&id);
    assert_eq!((bead.title.as_str(), bead.priority), ("Two", 0));
    assert_eq!(bead.labels, ["later", "mine"]);
    assert!(place.lacks().is_empty());
    place.edit(&id, title("Three"));
    assert!(place.lacks().is_empty());
}

#[test]
fn a_field_that_was_edited_later_stays_and_is_named() {
    let place = Place::new();
    let id = place.make("One");
    let old = place.text("issues.jsonl");
    place.edit(&id, |bead| {
        bead.title = "Lost".into();
        bead.notes = "lost too".into();
    });
    place.goes_back_to(&old);
    place.edit(&id, title("Later"));
    let kept = place.restore();
    assert_eq!(kept.into_iter().collect::<Vec<_>>(), ["title"]);
    let bead = place.bead(&id);
    assert_eq!(
        (bead.title.as_str(), bead.notes.as_str()),
        ("Later", "lost too")
    );
    assert!(place.lacks().is_empty());
    // Nor is it lost again when the field becomes what it was.
    place.edit(&id, title("One"));
    assert!(place.lacks().is_empty());
}

#[test]
fn of_several_lost_changes_of_one_field_the_last_one_counts() {
    let place = Place::new();
    let id = place.make("One");
    let old = place.text("issues.jsonl");
    place.edit(&id, title("Two"));
    place.goes_back_to(&old);
    place.edit(&id, title("Three"));
    place.edit(&id, title("Four"));
    place.goes_back_to(&old);
    place.edit(&id, priority(0));
    assert_eq!(place.lacks(), [(id.clone(), 3)]);
    assert!(place.restore().is_empty());
    assert_eq!(place.bead(&id).title, "Four");
    assert!(place.lacks().is_empty());
}

#[test]
fn a_restore_that_is_lost_itself_is_done_again_with_what_it_did() {
    let place = Place::new();
    let id = place.make("One");
    let old = place.text("issues.jsonl");
    place.edit(&id, |bead| bead.labels.push("mine".into()));
    place.goes_back_to(&old);
    place.restore();
    place.goes_back_to(&old);
    assert_eq!(place.lacks(), [(id.clone(), 2)]);
    place.restore();
    assert_eq!(place.bead(&id).labels, ["mine"]);
    assert!(place.lacks().is_empty());
}

#[test]
fn an_event_that_a_fold_which_was_cut_short_wrote_down_twice_counts_once() {
    let place = Place::new();
    let id = place.make("One");
    place.edit(&id, title("Two"));
    let events = place.text("events.local.jsonl");
    fs::write(place.dir.join("events.local.jsonl"), events.repeat(2)).unwrap();
    assert!(place.lacks().is_empty());
}

#[test]
fn a_bead_that_left_with_all_its_changes_comes_back_as_it_was() {
    let place = Place::new();
    place.make("Other");
    let old = place.text("issues.jsonl");
    let id = place.make("One");
    place.edit(&id, title("Two"));
    place.goes_back_to(&old);
    assert_eq!(place.lacks(), [(id.clone(), 2)]);
    place.restore();
    assert_eq!(place.bead(&id).title, "Two");
    assert!(place.lacks().is_empty());
}

#[test]
fn a_bead_that_is_put_back_as_it_was_lacks_nothing() {
    let place = Place::new();
    place.make("Other");
    let old = place.text("issues.jsonl");
    let id = place.make("One");
    place.edit(&id, title("Two"));
    let bead = place.bead(&id);
    // As doctor does with a damaged line that git still has.
    place.goes_back_to(&old);
    place.change(|tx| Ok(tx.put(bead)?)).unwrap();
    assert!(place.lacks().is_empty(), "{:?}", place.lacks());
    // A change before which it went back is lost still.
    let put_back = place.text("issues.jsonl");
    place.edit(&id, title("Three"));
    place.goes_back_to(&put_back);
    assert_eq!(place.lacks(), [(id, 1)]);
}

#[test]
fn what_was_undone_moved_away_or_removed_is_not_lost() {
    let place = Place::new();
    let (undone, closed) = (place.make("Undone"), place.make("Closed"));
    let (deleted, erased) = (place.make("Deleted"), place.make("Erased"));
    place.edit(&undone, title("Two"));
    let event = place.store.events_of(&undone).unwrap().remove(1);
    place.change(|tx| Ok(change::undo(tx, &event)?)).unwrap();
    place
        .change(|tx| Ok(change::close(tx, &closed, "done", "", false)?))
        .unwrap();
    let all = jiff::Timestamp::MAX;
    let author = super::author();
    place.store.compact(&author, &place.clock, all).unwrap();
    assert!(place.lacks().is_empty(), "{:?}", place.lacks());
    // Someone removed it after it had gone back.
    let old = place.text("issues.jsonl");
    place.edit(&deleted, title("Two"));
    place.edit(&erased, title("Two"));
    place.goes_back_to(&old);
    assert_eq!(place.lacks().len(), 2);
    place
        .change(|tx| Ok(change::delete(tx, &deleted, "no", false)?))
        .unwrap();
    place.change(|tx| Ok(tx.erase(&erased)?)).unwrap();
    assert!(place.lacks().is_empty(), "{:?}", place.lacks());
}

#[test]
fn a_deletion_that_was_lost_does_not_take_what_somebody_works_with() {
    let place = Place::new();
    let (used, left) = (place.make("Used"), place.make("Left"));
    let old = place.text("issues.jsonl");
    for id in [&used, &left] {
        place
            .change(|tx| Ok(change::delete(tx, id, "no", false)?))
            .unwrap();
    }
    place.goes_back_to(&old);
    place.edit(&used, title("Used again"));
    assert_eq!(place.restore().into_iter().collect::<Vec<_>>(), ["status"]);
    assert_eq!(place.bead(&used).status, Status::Open);
    assert!(place.bead(&left).is_tombstone());
    assert!(place.lacks().is_empty());
}

#[test]
fn a_later_value_comes_back_over_the_earlier_one_that_the_file_went_to() {
    let place = Place::new();
    let id = place.make("One");
    let before = place.text("issues.jsonl");
    place.edit(&id, title("Two"));
    let between = place.text("issues.jsonl");
    place.goes_back_to(&before);
    place.edit(&id, title("Three"));
    place.goes_back_to(&between);
    assert_eq!(place.bead(&id).title, "Two");
    assert!(place.restore().is_empty(), "nothing stays as it is");
    assert_eq!(place.bead(&id).title, "Three");
}

#[test]
fn a_bead_that_is_there_again_after_a_restore_has_all_its_changes() {
    let place = Place::new();
    let id = place.make("One");
    let before = place.text("issues.jsonl");
    place.edit(&id, priority(0));
    place.goes_back_to(&before);
    place
        .change(|tx| Ok(change::delete(tx, &id, "no", false)?))
        .unwrap();
    let deleted = place.text("issues.jsonl");
    let event = place.store.events_of(&id).unwrap().pop().unwrap();
    place.change(|tx| Ok(change::undo(tx, &event)?)).unwrap();
    place.goes_back_to(&deleted);
    place.restore();
    assert!(place.lacks().is_empty(), "{:?}", place.lacks());
    let bead = place.bead(&id);
    assert_eq!((bead.status, bead.priority), (Status::Open, 0));
}

#[test]
fn what_a_fold_under_way_has_told_history_already_is_not_told_as_gone() {
    let place = Place::new();
    let id = place.make("One");
    place.store.fold(&place.clock).unwrap();
    let deferred = place.deferring();
    deferred.edit(&id, title("Two"));
    // As far as a fold gets before it puts the issues in place; and nobody has an index from before.
    let event = place.store.events_of(&id).unwrap().pop().unwrap();
    history::append(&place.store.paths, &[event]).unwrap();
    fs::remove_file(place.dir.join("index.bin")).unwrap();
    let read = source::Source::read(&place.store.paths).unwrap();
    assert_eq!(notice::of(None, &read.index, &read.source), None);
}

#[test]
fn before_a_line_that_history_does_not_know_nothing_is_said_to_be_lost() {
    let place = Place::new();
    let id = place.make("One");
    place.edit(&id, title("Two"));
    // What git makes of two sides is a line of its own.
    let merged = place.text("issues.jsonl").replace("Two", "Merged");
    place.goes_back_to(&merged);
    assert!(place.lacks().is_empty());
    place.edit(&id, priority(0));
    assert!(place.lacks().is_empty());
}

#[test]
fn what_cannot_be_told_stays_so_after_a_merge_and_is_done_again_for_who_asks() {
    let place = Place::new();
    let id = place.make("One");
    let old = place.text("issues.jsonl");
    place.edit(&id, title("Two"));
    // A colleague changed it before that, and git brought it here.
    let came = old.replace("\"priority\":2", "\"priority\":1");
    place.goes_back_to(&came);
    place.edit(&id, |bead| bead.notes = "known".into());
    let untold = || -> Vec<(String, usize)> {
        let untold = place.store.lost().unwrap().untold.into_iter();
        untold.map(|(id, open)| (id, open.events.len())).collect()
    };
    assert_eq!(untold(), [(id.clone(), 1)]);
    place.store.fold(&place.clock).unwrap();
    let ours = place.text("issues.jsonl");
    let theirs = came.replace("\"priority\":1", "\"priority\":1,\"design\":\"theirs\"");
    let sides = [&came, &ours, &theirs].map(String::as_bytes);
    let merge = merge::files(sides[0], sides[1], sides[2], &|_| None).unwrap();
    assert_eq!(merge.met[0].id, id);
    place
        .store
        .remember_merge(&merge, ours.as_bytes(), &place.clock)
        .unwrap();
    place.goes_back_to(&String::from_utf8(merge.text).unwrap());
    assert_eq!(
        (place.lacks(), untold()),
        (Vec::new(), vec![(id.clone(), 1)])
    );
    // However long its history is.
    let told = place.store.events_of(&id).unwrap().pop().unwrap();
    assert_eq!(
        (told.verb.as_str(), &told.changes[0].includes[..]),
        ("merge", &[][..])
    );
    // Its own changes, before and after, are in it.
    place.edit(&id, |bead| bead.labels.push("later".into()));
    assert_eq!(
        (place.lacks(), untold()),
        (Vec::new(), vec![(id.clone(), 1)])
    );
    let open = place.store.lost().unwrap().untold.remove(&id).unwrap();
    let kept = place
        .change(|tx| Ok(change::redo(tx, &id, &open)?))
        .unwrap();
    assert!(kept.is_empty(), "{kept:?}");
    assert_eq!(untold(), []);
    let bead = place.bead(&id);
    assert_eq!(
        (bead.title.as_str(), bead.design.as_str(), bead.priority),
        ("Two", "theirs", 1)
    );
    assert_eq!(
        (bead.notes.as_str(), &bead.labels[..]),
        ("known", &["later".to_owned()][..])
    );
}

#[test]
fn a_bead_that_others_changed_since_it_was_made_here_lacks_nothing() {
    let place = Place::new();
    let id = place.make("One");
    let theirs = place.text("issues.jsonl").replace("One", "Theirs");
    place.goes_back_to(&theirs);
    let losses = place.store.lost().unwrap();
    assert!(
        losses.lacking.is_empty() && losses.untold.is_empty(),
        "{id}: {losses:?}"
    );
}

#[test]
fn a_line_that_came_from_elsewhere_is_known_by_the_change_that_was_made_to_it() {
    let old = format!("{}\n", line("bd-a", "x"));
    let place = Place::with_issues(&old);
    place.edit("bd-a", title("Two"));
    place.goes_back_to(&old);
    place.edit("bd-a", priority(0));
    assert_eq!(place.lacks(), [("bd-a".to_owned(), 1)]);
    place.restore();
    let bead = place.bead("bd-a");
    assert_eq!((bead.title.as_str(), bead.priority), ("Two", 0));
}

#[test]
fn what_left_the_file_under_a_change_in_the_journal_is_lost_and_that_change_is_not() {
    let place = Place::with_issues(&format!("{}\n", line("bd-a", "x")));
    let old = place.text("issues.jsonl");
    place.edit("bd-a", title("Two"));
    place.store.fold(&place.clock).unwrap();
    let deferred = place.deferring();
    deferred.edit("bd-a", priority(0));
    place.goes_back_to(&old);
    assert_eq!(place.lacks(), [("bd-a".to_owned(), 1)]);
    place.store.fold(&deferred.clock).unwrap();
    assert_eq!(place.text("journal.jsonl"), "");
    assert_eq!(place.lacks(), [("bd-a".to_owned(), 1)]);
    assert!(deferred.restore().is_empty());
    let bead = place.bead("bd-a");
    assert_eq!((bead.title.as_str(), bead.priority), ("Two", 0));
    assert!(place.lacks().is_empty());
}

#[test]
fn a_deletion_from_outside_over_a_change_of_ours_is_told_and_in_history() {
    let place = Place::with_issues(&format!("{}\n", line("bd-a", "x")));
    let deferred = place.deferring();
    deferred.edit("bd-a", title("Ours"));
    let deleted = line("bd-a", "x").replace("\"open\"", "\"tombstone\"");
    let deleted = deleted.strip_suffix('}').unwrap();
    place.goes_back_to(&format!(
        "{deleted},\"deleted_at\":\"2026-01-02T00:00:00Z\"}}\n"
    ));
    place.store.fold(&deferred.clock).unwrap();
    let told = place.store.take_notices().join("\n");
    assert!(
        told.contains("of bd-a (status) one side gave way"),
        "{told}"
    );
    assert_eq!(place.lacks(), []);
    let history = place.store.events().unwrap();
    place
        .change(|tx| Ok(change::revive(tx, &["bd-a".into()], &history)?))
        .unwrap();
    let bead = place.store.snapshot().unwrap().take("bd-a").unwrap();
    assert_eq!((bead.status, bead.title.as_str()), (Status::Open, "Ours"));
}

#[test]
fn every_comment_that_lost_to_a_change_from_outside_is_in_history() {
    let comment = |number: u8, text: &str| {
        format!(
            r#"{{"id":{number},"issue_id":"bd-a","author":"dana","text":"{text}","created_at":"2026-01-0{number}T00:00:00Z"}}"#
        )
    };
    let with = |texts: [&str; 2], updated: &str| {
        let comments = [comment(1, texts[0]), comment(2, texts[1])].join(",");
        let line = line("bd-a", "x").replace("\"updated_at\":\"2026-01", updated);
        let line = line.strip_suffix('}').unwrap();
        format!("{line},\"comments\":[{comments}]}}\n")
    };
    let same = "\"updated_at\":\"2026-01";
    let place = Place::with_issues(&with(["one", "two"], same));
    let deferred = place.deferring();
    deferred.edit("bd-a", |bead| {
        for comment in &mut bead.comments {
            comment.text.push_str(", ours");
        }
    });
    let newer = "\"updated_at\":\"2026-09";
    place.goes_back_to(&with(["one, theirs", "two, theirs"], newer));
    place.store.fold(&deferred.clock).unwrap();
    let events = place.store.events_of("bd-a").unwrap();
    let lost = events.last().unwrap().changes[0].lost.as_ref().unwrap();
    let comments: Vec<serde_json::Value> =
        serde_json::from_str(lost.get("comments").unwrap()).unwrap();
    let texts: Vec<_> = comments.iter().map(|lost| lost["text"].as_str()).collect();
    assert_eq!(texts, [Some("one, ours"), Some("two, ours")], "{lost:?}");
    assert_eq!(lost.keys().count(), 1);
}

/// What is done to a bead in a random history.
#[derive(Debug, Clone, Copy)]
enum Act {
    Title(u8),
    Label(u8),
    Unlabel(u8),
    Priority(u8),
    Undo,
    Delete,
    Save,
    Back(u8),
    Restore,
    Fold,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        (0..4_u8).prop_map(Act::Title),
        (0..4_u8).prop_map(Act::Label),
        (0..4_u8).prop_map(Act::Unlabel),
        (0..4_u8).prop_map(Act::Priority),
        Just(Act::Undo),
        Just(Act::Delete),
        Just(Act::Save),
        Just(Act::Save),
        (0..4_u8).prop_map(Act::Back),
        Just(Act::Restore),
        Just(Act::Fold),
    ];
    prop::collection::vec(act, 1..16)
}

impl Place {
    fn act(&self, id: &str, act: Act, saved: &mut Vec<String>) {
        let there = self.store.snapshot().unwrap().get_live(id).is_some();
        match act {
            Act::Title(number) if there => self.edit(id, title(&format!("Title {number}"))),
            Act::Priority(number) if there => self.edit(id, priority(number.into())),
            Act::Label(number) if there => {
                let add =
                    |tx: &mut super::Tx<'_>| Ok(change::add_label(tx, id, &format!("l{number}"))?);
                self.change(add).unwrap();
            }
            Act::Unlabel(number) if there => {
                let remove = |tx: &mut super::Tx<'_>| {
                    Ok(change::remove_label(tx, id, &format!("l{number}"))?)
                };
                self.change(remove).unwrap();
            }
            Act::Delete if there => {
                self.change(|tx| Ok(change::delete(tx, id, "no", false)?))
                    .unwrap();
            }
            Act::Undo => {
                let event = self.store.events_of(id).unwrap().pop();
                // What cannot be taken back is refused.
                event.map(|event| self.change(|tx| Ok(change::undo(tx, &event)?)).ok());
            }
            Act::Save => {
                self.store.fold(&self.clock).unwrap();
                saved.push(self.text("issues.jsonl"));
            }
            Act::Back(number) => {
                let at = usize::from(number) % saved.len().max(1);
                if let Some(text) = saved.get(at) {
                    self.goes_back_to(text);
                }
            }
            Act::Restore => drop(self.restore()),
            Act::Fold => self.store.fold(&self.clock).unwrap(),
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn nothing_is_lost_while_the_file_never_goes_back_and_after_it_was_restored(acts in acts(), late: bool) {
        let place = Place::new();
        let id = place.make("One");
        let place = if late { place.deferring() } else { place };
        let mut saved = Vec::new();
        let mut went_back = false;
        for act in acts {
            place.act(&id, act, &mut saved);
            went_back |= matches!(act, Act::Back(_));
            if !went_back {
                prop_assert!(place.lacks().is_empty(), "{act:?}: {:?}", place.lacks());
            }
        }
        place.restore();
        prop_assert!(place.lacks().is_empty(), "{:?}", place.lacks());
        place.store.fold(&place.clock).unwrap();
        prop_assert!(place.lacks().is_empty(), "{:?}", place.lacks());
    }

    #[test]
    fn the_title_is_the_one_that_was_given_last_after_all_was_restored(acts in acts(), late: bool) {
        let place = Place::new();
        let id = place.make("One");
        let place = if late { place.deferring() } else { place };
        let mut saved = Vec::new();
        let mut last = "One".to_owned();
        for (number, act) in acts.into_iter().enumerate() {
            match act {
                Act::Undo | Act::Delete => {}
                Act::Title(_) if place.store.snapshot().unwrap().get(&id).is_some() => {
                    last = format!("Title {number}");
                    place.edit(&id, title(&last));
                }
                other => place.act(&id, other, &mut saved),
            }
        }
        place.restore();
        prop_assert_eq!(place.bead(&id).title, last);
    }
}
