//! The laws of the merge over random histories. `PROPTEST_CASES` sets the number of cases.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::history::{HistoryStep, TestClone, any_steps};
use crate::bead::validate::{self, Vocabulary};
use crate::bead::{Bead, Stamp, record};
use crate::merge::{FileMerge, MergeNote, OverruledValue, collision, former_id, merge_files};

fn merge_clones(base: &TestClone, left: &TestClone, right: &TestClone) -> FileMerge {
    merge_files(&base.text(), &left.text(), &right.text(), &|_| None).unwrap()
}

fn build_clones(
    base: &[HistoryStep],
    left: &[HistoryStep],
    right: &[HistoryStep],
) -> [TestClone; 3] {
    let base = TestClone::default().after(base);
    let clone = |number, steps: &[HistoryStep]| {
        let world = TestClone {
            clone: number,
            ..base.clone()
        };
        world.after(steps)
    };
    [base.clone(), clone(1, left), clone(2, right)]
}

/// Returns the identity of a bead apart from its id.
fn identity_key(bead: &Bead) -> String {
    let id = former_id(bead).unwrap_or_else(|| bead.id.clone());
    format!("{id} {} {}", bead.created_at, bead.created_by)
}

/// Returns the ids of deleted beads of the base under which both sides made a new bead.
fn ids_made_twice(base: &TestClone, left: &TestClone, right: &TestClone) -> Vec<String> {
    let live = |world: &TestClone, id: &str| {
        let found = world.beads.iter().find(|bead| bead.id == id);
        found.filter(|bead| !bead.is_tombstone()).cloned()
    };
    let deleted = base.beads.iter().filter(|bead| bead.is_tombstone());
    let made_twice = deleted.filter(|gone| {
        let sides = live(left, &gone.id).zip(live(right, &gone.id));
        sides.is_some_and(|(left, right)| !collision::is_same_bead(&left, &right))
    });
    made_twice.map(|bead| bead.id.clone()).collect()
}

fn by_maker<'a>(
    base: &TestClone,
    made_twice: &[String],
    world: &'a TestClone,
) -> BTreeMap<String, &'a Bead> {
    let keys: Vec<String> = world.beads.iter().map(identity_key).collect();
    let key_of = |bead: &Bead| {
        // An id in the base is one bead, also if it was created again, unless the bead of the base
        // moved to another id.
        let mut of_base = base.beads.iter();
        let in_base = of_base.find(|there| there.id == bead.id && !made_twice.contains(&bead.id));
        let recreated = in_base.map(identity_key).filter(|key| !keys.contains(key));
        recreated.unwrap_or_else(|| identity_key(bead))
    };
    world
        .beads
        .iter()
        .map(|bead| (key_of(bead), bead))
        .collect()
}

/// Returns the fields of a bead that merge independently.
fn plain_fields(bead: &Bead) -> BTreeMap<String, String> {
    const OTHER_RULES: [&str; 17] = [
        "id",
        "updated_at",
        "status",
        "closed_at",
        "close_reason",
        "closed_by_session",
        "deleted_at",
        "deleted_by",
        "delete_reason",
        "original_type",
        "labels",
        "waiters",
        "dependencies",
        "comments",
        "metadata",
        "created_at",
        "created_by",
    ];
    let line = String::from_utf8(record::serialize_bead(bead)).unwrap();
    record::parse_pairs(&line)
        .unwrap()
        .into_iter()
        .filter(|(key, _)| !OTHER_RULES.contains(&key.as_str()))
        .map(|(key, raw)| (key, raw.get().to_owned()))
        .collect()
}

fn list_words(bead: &Bead) -> Vec<String> {
    let labels = bead.labels.iter().map(|label| format!("label {label}"));
    let waiters = bead.waiters.iter().map(|word| format!("waiter {word}"));
    labels.chain(waiters).collect()
}

/// Checks that every one-sided edit is in the result, and that every losing value is reported.
fn check_fields(base: &Bead, left: &Bead, right: &Bead, result: &Bead, merge: &FileMerge) {
    let [b, l, r, m] = [base, left, right, result].map(plain_fields);
    for key in b.keys().chain(l.keys()).chain(r.keys()) {
        let [b, l, r, m] = [&b, &l, &r, &m].map(|side| side.get(key));
        if key.ends_with("_at") || key == "defer_until" || key == "last_activity" {
            continue;
        }
        if l == b || l == r {
            assert_eq!(m, r, "{key}");
        } else if r == b {
            assert_eq!(m, l, "{key}");
        } else {
            let loser = if m == l { r } else { l };
            assert!(m == l || m == r);
            let value = loser.map_or("null", String::as_str);
            let is_told = |lost: &OverruledValue| {
                lost.id == result.id && lost.field == *key && lost.value == value
            };
            assert!(
                merge.lost.iter().any(is_told),
                "{key}: {value} of {merge:?}"
            );
        }
    }
    let [b, l, r, m] = [base, left, right, result].map(list_words);
    for word in l.iter().chain(&r) {
        let everywhere = l.contains(word) && r.contains(word);
        assert_eq!(m.contains(word), everywhere || !b.contains(word), "{word}");
    }
    for word in &m {
        assert!(l.contains(word) || r.contains(word));
    }
    check_deletion(base, left, right, result, merge);
}

fn check_comments(base: &Bead, left: &Bead, right: &Bead, result: &Bead, merge: &FileMerge) {
    let says = |bead: &Bead, text: &str| bead.comments.iter().any(|comment| comment.text == text);
    let edited = |bead: &Bead| {
        bead.comments
            .iter()
            .any(|comment| comment.text.starts_with("edited"))
    };
    if edited(left) || edited(right) || edited(base) {
        return;
    }
    for comment in left.comments.iter().chain(&right.comments) {
        let new = !says(base, &comment.text);
        let both = says(left, &comment.text) && says(right, &comment.text);
        // A comment with the number and time of a removed one is an edit of it, and conflicts with
        // the removal.
        let is_told = |lost: &OverruledValue| {
            lost.id == result.id && lost.field == "comments" && lost.value.contains(&comment.text)
        };
        if new || both {
            let is_there = says(result, &comment.text) || merge.lost.iter().any(is_told);
            assert!(is_there, "{} is gone", comment.text);
        }
    }
    let mut numbers: Vec<i64> = result.comments.iter().map(|comment| comment.id).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), result.comments.len());
}

/// Checks that a deletion that wins over an edit is reported.
fn check_deletion(base: &Bead, left: &Bead, right: &Bead, result: &Bead, merge: &FileMerge) {
    let live = [left, right].into_iter().find(|side| !side.is_tombstone());
    let Some(live) = live.filter(|_| result.is_tombstone()) else {
        return;
    };
    if live.id != base.id {
        // An earlier merge gave the bead another id, which is not an edit.
        return;
    }
    // Edges that follow a moved bead are not an edit either.
    let unlinked = |bead: &Bead| Bead {
        updated_at: Stamp::default(),
        dependencies: Vec::new(),
        ..bead.clone()
    };
    let note = MergeNote::Buried {
        id: result.id.clone(),
    };
    let stood = OverruledValue {
        id: result.id.clone(),
        field: "status".into(),
        value: format!("\"{}\"", live.status),
    };
    let reported = (merge.notes.contains(&note), merge.lost.contains(&stood));
    if unlinked(live) != unlinked(base) {
        assert_eq!(reported, (true, true), "{base:?} {live:?}");
    } else if live.dependencies.is_empty() && base.dependencies.is_empty() {
        assert_eq!(reported, (false, false), "{base:?} {live:?}");
    }
}

/// Checks all laws for one merge.
fn check_merge(base: &TestClone, left: &TestClone, right: &TestClone) -> TestClone {
    let merged = merge_clones(base, left, right);
    let swapped = merge_clones(base, right, left);
    let inputs = [base, left, right].map(TestClone::text);
    let inputs = inputs.map(|text| String::from_utf8(text).unwrap());
    assert_eq!(
        String::from_utf8_lossy(&merged.text),
        String::from_utf8_lossy(&swapped.text),
        "left and right can be swapped: {inputs:#?}"
    );
    assert_eq!(
        (&merged.lost, &merged.notes),
        (&swapped.lost, &swapped.notes),
        "{inputs:#?}"
    );
    let result = TestClone::read(&merged.text, 9);
    assert_eq!(
        result.text(),
        merged.text,
        "only beads, in their canonical lines"
    );
    assert!(result.beads.is_sorted_by(|a, b| a.id < b.id));
    for bead in &result.beads {
        let sound = validate::validate_bead(bead, &Vocabulary::default());
        assert_eq!(sound, Ok(()), "{bead:?}");
    }
    for again in [base, left, right, &result] {
        let twice = merge_clones(again, &result, &result);
        assert_eq!(
            twice.text, merged.text,
            "merging a result again changes nothing"
        );
        assert_eq!(twice.lost, []);
        assert_eq!(
            merge_clones(again, again, &result).text,
            merged.text,
            "a fast forward"
        );
    }
    let made_twice = ids_made_twice(base, left, right);
    let [b, l, r, m] = [base, left, right, &result].map(|world| by_maker(base, &made_twice, world));
    for (maker, own) in l.iter().chain(&r) {
        match (b.get(maker), l.get(maker), r.get(maker), m.get(maker)) {
            (base, Some(left), Some(right), Some(result)) => {
                if let Some(base) = base {
                    check_fields(base, left, right, result, &merged);
                    check_comments(base, left, right, result, &merged);
                }
            }
            (None, _, _, Some(result)) => assert_eq!(plain_fields(own), plain_fields(result)),
            (Some(base), _, _, Some(result)) => {
                // A bead whose edge followed a moved bead differs from its original too.
                assert!(*base != *own || *result != *own, "{own:?}");
                assert_eq!(plain_fields(own), plain_fields(result));
            }
            (Some(base), left, right, None) => {
                assert!(left.is_none() || right.is_none());
                assert_eq!(*base, *own, "an edited bead went");
            }
            (None, _, _, None) => panic!("{maker} went"),
        }
    }
    result
}

/// Uses `PROPTEST_CASES` cases, or few if it is not set.
fn proptest_config() -> ProptestConfig {
    let mut config = ProptestConfig::default();
    if config.cases == 256 {
        config.cases = 40;
    }
    config
}

proptest! {
    #![proptest_config(proptest_config())]

    #[test]
    fn any_two_histories_merge(base in any_steps(30), left in any_steps(25), right in any_steps(25)) {
        let [base, left, right] = build_clones(&base, &left, &right);
        check_merge(&base, &left, &right);
    }

    #[test]
    fn histories_of_one_bead_merge(left in any_steps(12), right in any_steps(12)) {
        let on_one = |steps: &[HistoryStep]| -> Vec<HistoryStep> {
            steps.iter().map(|(what, _, field, value, minute)| (2 + what % 22, 0, *field, *value, *minute)).collect()
        };
        let [base, left, right] = build_clones(&[(0, 1, 0, 0, 0)], &on_one(&left), &on_one(&right));
        check_merge(&base, &left, &right);
    }

    #[test]
    fn clones_that_exchange_end_up_equal(
        start in any_steps(20),
        work in proptest::collection::vec((0usize..3, any_steps(8)), 1..8),
    ) {
        let start = TestClone::default().after(&start);
        let mut hub = start.clone();
        let mut clones: Vec<(TestClone, TestClone)> = (1..4)
            .map(|clone| (start.clone(), TestClone { clone, ..start.clone() }))
            .collect();
        let idle: [(usize, Vec<HistoryStep>); 6] = std::array::from_fn(|at| (at % 3, Vec::new()));
        for (at, steps) in work.into_iter().chain(idle) {
            let (seen, own) = &mut clones[at];
            // Step numbers determine instants, so a number must not repeat within a clone.
            let clone = own.clone + 3;
            *own = TestClone { clone, ..own.clone() }.after(&steps);
            let merged = check_merge(seen, own, &hub);
            hub = merged.clone();
            *seen = merged.clone();
            *own = TestClone { clone, ..merged };
        }
        for (_, own) in &clones {
            prop_assert_eq!(own.text(), hub.text());
        }
    }

    #[test]
    fn merge_order_does_not_matter_if_no_field_is_changed_twice(
        start in any_steps(20),
        all in proptest::collection::vec(any_steps(12), 3),
    ) {
        let base = TestClone::default().after(&start);
        // Each clone changes different fields. Created ids collide.
        let clone_world = |clone: u8| {
            let steps = all[usize::from(clone)].iter().filter_map(|(what, which, field, value, minute)| {
                let what = match what {
                    0 => 0,
                    2..=8 => *what,
                    13.. => 13,
                    _ => return None,
                };
                let value = if what < 5 && what > 0 { clone } else { *value };
                let field = if what == 13 { (field % 10) * 3 + clone } else { *field };
                let edits = (6..=8).contains(&what) && *minute < 2 && value < 2;
                let value = if edits { 2 } else { value };
                Some((what, *which, field, value.max(u8::from((6..=8).contains(&what)) * 2), *minute))
            });
            let steps: Vec<HistoryStep> = steps.collect();
            TestClone { clone: clone + 1, ..base.clone() }.after(&steps)
        };
        let [a, b, c] = [clone_world(0), clone_world(1), clone_world(2)];
        let pair = |x: &TestClone, y: &TestClone| TestClone::read(&merge_clones(&base, x, y).text, 9);
        let first = merge_clones(&base, &pair(&a, &b), &c).text;
        let second = merge_clones(&base, &a, &pair(&b, &c)).text;
        let third = merge_clones(&base, &pair(&a, &c), &b).text;
        prop_assert_eq!(String::from_utf8_lossy(&first), String::from_utf8_lossy(&second));
        prop_assert_eq!(first, third);
    }
}
