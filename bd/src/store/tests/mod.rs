//! The promises of the store.

mod agents;
mod answers;
mod crash;
mod damage;
mod model;
mod past;
mod power;
mod rollback;

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use super::*;
use crate::bead::{Bead, Stamp};
use crate::change::{self, NewBead};
use crash::age_file;

struct StoreFixture {
    _keep: tempfile::TempDir,
    dir: PathBuf,
    store: Store,
    clock: Clock,
}

impl StoreFixture {
    fn new() -> Self {
        let keep = tempfile::tempdir().unwrap();
        let dir = keep.path().join("project/.beads");
        let store = Store::create(&dir, "bd").unwrap();
        Self {
            _keep: keep,
            dir,
            store,
            clock: Clock::stepped("2026-01-01T00:00:00Z".parse().unwrap()),
        }
    }

    /// Returns the same folder with a store that folds only on request.
    fn with_deferred_folds(&self) -> StoreFixture {
        StoreFixture {
            _keep: tempfile::tempdir().unwrap(),
            dir: self.dir.clone(),
            store: self.store.clone().with_fold_limit(0),
            clock: Clock::stepped("2026-02-01T00:00:00Z".parse().unwrap()),
        }
    }

    fn with_issues(text: &str) -> Self {
        let place = Self::new();
        fs::write(place.dir.join("issues.jsonl"), text).unwrap();
        place
    }

    fn change<T>(&self, work: impl FnOnce(&mut Tx<'_>) -> anyhow::Result<T>) -> anyhow::Result<T> {
        self.store.transact(&test_author(), &self.clock, work)
    }

    fn make(&self, title: &str) -> String {
        let new = NewBead {
            title: title.into(),
            ..NewBead::default()
        };
        self.change(|tx| Ok(change::create_bead(tx, new)?.id))
            .unwrap()
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.dir.join(name)).unwrap()
    }

    fn ids(&self) -> Vec<String> {
        let snapshot = self.store.snapshot().unwrap();
        snapshot.live().map(|bead| bead.id.clone()).collect()
    }
}

/// Returns the number of cases of a property test: `few`, or the value of PROPTEST_CASES.
fn property_cases(few: u32) -> proptest::test_runner::Config {
    let usual = proptest::test_runner::Config::default();
    let asked = usual.cases != 256;
    let cases = if asked { usual.cases } else { few };
    proptest::test_runner::Config { cases, ..usual }
}

fn test_author() -> Author {
    Author {
        actor: "dana".into(),
        ..Author::default()
    }
}

fn bead_line(id: &str, title: &str) -> String {
    format!(
        r#"{{"id":"{id}","title":"{title}","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","zz":{{"b":1.0, "a":2}}}}"#
    )
}

#[test]
fn a_change_is_folded_into_the_file_and_the_journal_is_empty() {
    let place = StoreFixture::new();
    let id = place.make("One");
    assert!(place.text("issues.jsonl").contains(&id));
    assert_eq!(place.text("journal.jsonl"), "");
    assert_eq!(place.ids(), [id]);
}

#[test]
fn marks_reflect_the_changes_of_the_current_transaction() {
    let place = StoreFixture::new();
    let (first, second) = (place.make("One"), place.make("Two"));
    let marked = |snapshot: &Snapshot| -> Vec<String> {
        let found = snapshot.select_marked(&[BeadMark::Label("x")], |_| true);
        found.map(|bead| bead.id.clone()).collect()
    };
    let change = |tx: &mut Tx<'_>, id: &str| {
        let mut bead = tx.get(id).cloned().unwrap();
        bead.labels.push("x".to_owned());
        tx.put(bead)
    };
    place
        .change(|tx| {
            assert!(marked(tx).is_empty());
            change(tx, &first)?;
            assert_eq!(marked(tx), std::slice::from_ref(&first));
            change(tx, &second)?;
            assert_eq!(marked(tx).len(), 2);
            Ok(())
        })
        .unwrap();
    place
        .change(|tx| -> anyhow::Result<()> {
            assert_eq!(marked(tx).len(), 2);
            change::delete_bead(tx, &second, "", false)?;
            assert_eq!(marked(tx), std::slice::from_ref(&first));
            anyhow::bail!("no")
        })
        .unwrap_err();
    assert_eq!(marked(&place.store.snapshot().unwrap()).len(), 2);
}

#[test]
fn a_fold_records_the_hash_of_the_content_that_it_wrote() {
    let foreign = r#"{"kind":"elsewhere","x":[1]}"#;
    let place = StoreFixture::with_issues(&format!("{foreign}\n{}\n\n", bead_line("bd-b", "y")));
    place.make("One");
    place.make("Two");
    place.store.fold(&place.clock).unwrap();
    let index = index::Index::open(&place.dir.join("index.bin")).unwrap();
    let issues = fs::File::open(place.dir.join("issues.jsonl")).unwrap();
    let size = issues.metadata().unwrap().len();
    let content = index::content_hash(&issues, size).unwrap();
    assert_eq!(index.keys().issues.content, content);
}

#[test]
fn a_slow_reader_does_not_replace_a_newer_index() {
    let place = StoreFixture::new();
    place.make("One");
    let path = place.dir.join("index.bin");
    let reader = source::OpenFiles::read(&place.store.paths).unwrap();
    let read = index::Index::open(&path).unwrap();
    place.make("Two");
    let of_the_fold = index::Index::open(&path).unwrap();
    reader.source.put_index(Some(&read), &read, None);
    assert!(of_the_fold.is_at(&path));
    // The index is written if no other process wrote one.
    reader
        .source
        .put_index(Some(&of_the_fold), &of_the_fold, None);
    assert!(!of_the_fold.is_at(&path));
    assert_eq!(place.ids().len(), 2);
}

#[test]
fn an_external_change_right_after_a_fold_is_detected() {
    let place = StoreFixture::new();
    place.make("Folded");
    // An immediate change in place, with the same length.
    let issues = place.dir.join("issues.jsonl");
    let text = fs::read_to_string(&issues).unwrap();
    let file = fs::File::options().write(true).open(&issues).unwrap();
    let changed = text.replace("Folded", "Edited");
    file.write_all_at(changed.as_bytes(), 0).unwrap();
    let snapshot = place.store.snapshot().unwrap();
    let titles: Vec<&str> = snapshot.live().map(|bead| bead.title.as_str()).collect();
    assert_eq!(titles, ["Edited"]);
}

#[test]
fn a_prefix_is_derived_only_if_all_beads_share_one() {
    let prefix = |ids: &[&str], deleted: &str| {
        let lines = ids.iter().map(|id| {
            let line = bead_line(id, "x");
            if *id == deleted {
                line.replace("\"open\"", "\"tombstone\"")
            } else {
                line
            }
        });
        let place = StoreFixture::with_issues(&lines.collect::<Vec<_>>().join("\n"));
        fs::write(place.dir.join("config.yaml"), "").unwrap();
        let place = place.with_deferred_folds();
        let before = place.store.snapshot().unwrap().prefix();
        // The same with a journal, which is allowed.
        let made = place.change(|tx| {
            let new = NewBead {
                title: "New".into(),
                ..NewBead::default()
            };
            Ok(change::create_bead(tx, new)?.id)
        });
        let after = place.store.snapshot().unwrap().prefix();
        assert_eq!(before.is_ok(), made.is_ok(), "{ids:?}");
        assert_eq!(before.is_ok(), after.is_ok(), "{ids:?}");
        assert_eq!(before.as_ref().ok(), after.as_ref().ok());
        before.ok()
    };
    assert_eq!(
        prefix(&["my-app-a1b", "my-app-c2d.1"], "").unwrap(),
        "my-app"
    );
    assert_eq!(prefix(&["aa-a1b", "aa-c2d"], "").unwrap(), "aa");
    assert_eq!(prefix(&["aa-a1b", "zz-c2d"], "zz-c2d").unwrap(), "aa");
    assert_eq!(prefix(&["aa-a1b", "zz-c2d"], "aa-a1b").unwrap(), "zz");
    assert_eq!(prefix(&["aa-a1b", "zz-c2d"], ""), None);
    // Beads with an additional word in the prefix, as molecules and agents have.
    assert_eq!(prefix(&["aa-a1b", "aa-bb-c2d"], "").unwrap(), "aa");
    assert_eq!(prefix(&["aa-bb-c2d", "aa-z9z"], "").unwrap(), "aa");
    assert_eq!(prefix(&["aa-bb-c2d", "aab-z9z"], ""), None);
}

#[test]
fn unchanged_lines_keep_their_bytes() {
    let text = format!(
        "{}\n{}\n{}\n",
        bead_line("bd-a", "<x> é"),
        bead_line("bd-b", "y"),
        bead_line("bd-c", "z")
    );
    let place = StoreFixture::with_issues(&text);
    place
        .change(|tx| Ok(change::add_label(tx, "bd-b", "new")?))
        .unwrap();
    let after = place.text("issues.jsonl");
    let (old, new): (Vec<_>, Vec<_>) = (text.lines().collect(), after.lines().collect());
    assert_eq!((old[0], old[2]), (new[0], new[2]));
    assert!(
        new[1].contains(r#""labels":["new"]"#) && new[1].contains(r#""zz":{"b":1.0, "a":2}"#),
        "{}",
        new[1]
    );
}

#[test]
fn a_transaction_without_an_effect_writes_nothing() {
    let text = format!(
        "{}\n{}\n",
        bead_line("bd-b", "second first"),
        bead_line("bd-a", "unsorted")
    );
    let place = StoreFixture::with_issues(&text);
    place
        .change(|tx| Ok(change::remove_label(tx, "bd-b", "none")?))
        .unwrap();
    place
        .change(|tx| {
            let bead = tx.get("bd-a").cloned().unwrap();
            Ok(tx.put(bead)?)
        })
        .unwrap();
    assert_eq!(place.text("issues.jsonl"), text);
}

#[test]
fn an_error_in_a_transaction_changes_nothing() {
    let place = StoreFixture::new();
    let before = place.text("issues.jsonl");
    let result: anyhow::Result<()> = place.change(|tx| {
        change::create_bead(
            tx,
            NewBead {
                title: "A".into(),
                ..NewBead::default()
            },
        )?;
        change::create_bead(tx, NewBead::default())?;
        Ok(())
    });
    assert!(
        result
            .unwrap_err()
            .to_string()
            .contains("title is required")
    );
    assert_eq!(place.text("issues.jsonl"), before);
    assert!(place.ids().is_empty());
}

#[test]
fn a_failed_part_is_rolled_back_and_the_transaction_continues() {
    let place = StoreFixture::with_issues(&format!("{}\n", bead_line("bd-a", "x")));
    place
        .change(|tx| {
            let failed: Result<(), StoreError> = tx.attempt(|tx| {
                let mut bead = tx.get("bd-a").cloned().unwrap();
                bead.title = "half".into();
                tx.put(bead.clone())?;
                tx.erase("bd-a")?;
                bead.id = "bd-new".into();
                tx.put(bead)?;
                Err(StoreError::MixedPrefixes)
            });
            assert!(failed.is_err());
            assert_eq!(tx.get("bd-a").unwrap().title, "x");
            Ok(change::add_label(tx, "bd-a", "l")?)
        })
        .unwrap();
    let snapshot = place.store.snapshot().unwrap();
    assert!(snapshot.get("bd-a").unwrap().has_label("l"));
    assert!(snapshot.get("bd-new").is_none());
}

#[test]
fn wisps_are_stored_separately_but_change_atomically_with_durable_beads() {
    let place = StoreFixture::new();
    let wisp = NewBead {
        title: "W".into(),
        ephemeral: true,
        ..NewBead::default()
    };
    let (durable, wisp) = place
        .change(|tx| {
            let durable = change::create_bead(
                tx,
                NewBead {
                    title: "D".into(),
                    ..NewBead::default()
                },
            )?
            .id;
            Ok((durable, change::create_bead(tx, wisp)?.id))
        })
        .unwrap();
    assert!(
        place.text("issues.jsonl").contains(&durable)
            && !place.text("issues.jsonl").contains(&wisp)
    );
    assert!(place.text("wisps.jsonl").contains(&wisp));
    assert!(
        place
            .store
            .snapshot()
            .unwrap()
            .get(&wisp)
            .unwrap()
            .ephemeral
    );
    let edge = |tx: &mut Tx<'_>, from: &str, to: &str| {
        change::add_dep(tx, from, to, crate::bead::DepKind::Blocks)
    };
    assert!(place.change(|tx| Ok(edge(tx, &durable, &wisp)?)).is_err());
    place.change(|tx| Ok(edge(tx, &wisp, &durable)?)).unwrap();
    place
        .change(|tx| {
            Ok(change::amend_bead(tx, &wisp, |bead| {
                bead.ephemeral = false;
            })?)
        })
        .unwrap();
    assert!(place.text("issues.jsonl").contains(&wisp));
    assert_eq!(place.text("wisps.jsonl"), "");
}

#[test]
fn a_damaged_line_is_reported_and_set_aside_by_the_next_write() {
    let broken = r#"{"id":"bd-b","title":"cut of"#;
    let place = StoreFixture::with_issues(&format!(
        "{}\n{broken}\n{}\n",
        bead_line("bd-a", "x"),
        bead_line("bd-c", "z")
    ));
    let snapshot = place.store.snapshot().unwrap();
    assert_eq!(snapshot.damaged()[0].line, 2);
    assert_eq!(place.ids(), ["bd-a", "bd-c"]);
    place
        .change(|tx| Ok(change::add_label(tx, "bd-a", "l")?))
        .unwrap();
    let notices = place.store.reports.take_notices();
    assert!(
        notices[0].contains("line 2") && notices[0].contains("damaged"),
        "{notices:?}"
    );
    let kept = fs::read_dir(place.dir.join("damaged"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    assert_eq!(
        fs::read_to_string(kept.path()).unwrap(),
        format!("{broken}\n")
    );
    assert!(place.store.snapshot().unwrap().damaged().is_empty());
}

#[test]
fn two_lines_of_one_bead_are_merged_and_not_damaged() {
    let newer = bead_line("bd-a", "newer")
        .replace(r#""updated_at":"2026-01-01"#, r#""updated_at":"2026-02-01"#);
    for text in [
        format!("{newer}\n{}\n", bead_line("bd-a", "older")),
        format!("{}\n{newer}\n", bead_line("bd-a", "older")),
    ] {
        let place = StoreFixture::with_issues(&text);
        let snapshot = place.store.snapshot().unwrap();
        assert_eq!(snapshot.get("bd-a").unwrap().title, "newer");
        assert!(snapshot.damaged().is_empty());
        place.make("Next");
        assert!(!place.dir.join("damaged").exists());
        let events = place.store.events().unwrap();
        assert!(format!("{events:?}").contains("older"), "{events:?}");
    }
}

#[test]
fn a_second_line_of_a_wisp_is_moved_to_damaged_with_a_message() {
    let place = StoreFixture::new();
    let newer = bead_line("bd-w", "newer")
        .replace(r#""updated_at":"2026-01-01"#, r#""updated_at":"2026-02-01"#);
    let text = format!("{}\n{newer}\n", bead_line("bd-w", "older"));
    fs::write(place.dir.join("wisps.jsonl"), text).unwrap();
    let snapshot = place.store.snapshot().unwrap();
    assert_eq!(snapshot.get("bd-w").unwrap().title, "newer");
    assert_eq!(snapshot.damaged().len(), 1);
    place
        .change(|tx| Ok(change::add_label(tx, "bd-w", "l")?))
        .unwrap();
    let notices = place.store.reports.take_notices();
    assert!(
        notices[0].contains("a second record of bd-w") && notices[0].contains("damaged"),
        "{notices:?}"
    );
    assert!(String::from_utf8_lossy(&place.aside()).contains("older"));
}

#[test]
fn several_lines_of_one_bead_are_folded_after_a_read() {
    let line = bead_line("bd-a", "x");
    let doubled = [
        format!("{}\n{line}\n", bead_line("bd-a", "other")),
        format!("{line}\n{line}\n"),
    ];
    for text in &doubled {
        let place = StoreFixture::with_issues(text);
        place.store.snapshot().unwrap();
        upkeep::run_upkeep(&place.store.reports, &place.clock);
        assert_eq!(place.text("issues.jsonl").lines().count(), 1);
    }
    let place = StoreFixture::with_issues(&doubled[0]);
    // The lock cannot be acquired, as in a read-only folder.
    fs::remove_file(place.dir.join(".lock")).ok();
    fs::create_dir(place.dir.join(".lock")).unwrap();
    assert_eq!(place.ids(), ["bd-a"]);
    upkeep::run_upkeep(&place.store.reports, &place.clock);
    assert_eq!(place.text("issues.jsonl"), doubled[0]);
    assert!(place.store.reports.take_notices().is_empty());
}

#[test]
fn an_unfinished_merge_blocks_writes_and_names_the_line() {
    let text = format!(
        "{}\n<<<<<<< HEAD\n{}\n=======\n>>>>>>> other\n",
        bead_line("bd-a", "x"),
        bead_line("bd-b", "y")
    );
    let place = StoreFixture::with_issues(&text);
    assert_eq!(place.ids(), ["bd-a", "bd-b"]);
    let error = place
        .change(|tx| Ok(change::add_label(tx, "bd-a", "l")?))
        .unwrap_err();
    assert!(error.to_string().contains("line 2"), "{error}");
    assert_eq!(place.text("issues.jsonl"), text);
}

#[test]
fn records_of_other_kinds_are_kept() {
    let memory = r#"{"_type":"memory","key":"k","value": "v"}"#;
    let place = StoreFixture::with_issues(&format!("{memory}\n{}\n", bead_line("bd-a", "x")));
    place.make("Next");
    assert!(place.text("issues.jsonl").contains(memory));
    assert!(place.store.reports.take_notices().is_empty());
}

#[test]
fn a_database_of_another_program_is_never_touched() {
    let place = StoreFixture::new();
    let bytes = b"SQLite format 3\0rest";
    fs::write(place.dir.join("beads.db"), bytes).unwrap();
    place.make("One");
    assert_eq!(fs::read(place.dir.join("beads.db")).unwrap(), bytes);
}

#[test]
fn a_read_only_folder_is_reported_and_still_read() {
    let place = StoreFixture::with_issues(&format!("{}\n", bead_line("bd-a", "x")));
    // Not even root can write to a folder in the place of the journal.
    fs::remove_file(place.dir.join("journal.jsonl")).ok();
    fs::create_dir(place.dir.join("damaged")).unwrap();
    fs::remove_dir(place.dir.join("damaged")).unwrap();
    fs::remove_file(place.dir.join(".lock")).ok();
    fs::create_dir(place.dir.join(".lock")).unwrap();
    let error = place
        .change(|tx| Ok(change::add_label(tx, "bd-a", "l")?))
        .unwrap_err();
    assert!(error.to_string().contains(".lock"), "{error}");
    assert_eq!(place.ids(), ["bd-a"]);
}

#[test]
fn a_failed_fold_leaves_the_change_in_the_journal() {
    let place = StoreFixture::with_issues(&format!("{}\n", bead_line("bd-a", "x")));
    // Damaged lines cannot be set aside if a file is in the place of the folder.
    fs::write(
        place.dir.join("issues.jsonl"),
        format!("{}\nbroken\n", bead_line("bd-a", "x")),
    )
    .unwrap();
    fs::write(place.dir.join("damaged"), "a file").unwrap();
    place
        .change(|tx| Ok(change::add_label(tx, "bd-a", "l")?))
        .unwrap();
    assert!(place.store.reports.take_notices()[0].contains("saved in"));
    assert!(!place.text("issues.jsonl").contains("labels"));
    assert!(
        place
            .store
            .snapshot()
            .unwrap()
            .get("bd-a")
            .unwrap()
            .has_label("l")
    );
    fs::remove_file(place.dir.join("damaged")).unwrap();
    place
        .change(|tx| Ok(change::add_label(tx, "bd-a", "m")?))
        .unwrap();
    assert!(place.text("issues.jsonl").contains(r#""labels":["l","m"]"#));
    assert_eq!(place.text("journal.jsonl"), "");
}

#[test]
fn mixed_prefixes_without_a_setting_are_an_error_not_a_guess() {
    let place = StoreFixture::with_issues(&format!(
        "{}\n{}\n",
        bead_line("aa-1", "x"),
        bead_line("bb-1", "y")
    ));
    crate::config::unset_setting(&place.dir, "issue-prefix").unwrap();
    assert!(matches!(
        place.store.prefix(),
        Err(StoreError::MixedPrefixes)
    ));
    fs::write(
        place.dir.join("issues.jsonl"),
        bead_line("my-cool-app-1a2", "x"),
    )
    .unwrap();
    assert_eq!(place.store.prefix().unwrap(), "my-cool-app");
    fs::write(place.dir.join("issues.jsonl"), "").unwrap();
    assert_eq!(place.store.prefix().unwrap(), "project");
}

#[test]
fn writers_use_the_settings_read_under_the_lock() {
    let mut place = StoreFixture::new();
    let before = crate::config::Config::from_dir(&place.dir).unwrap();
    place.store = place.store.with_settings(Some(before));
    crate::config::set_setting(&place.dir, "issue-prefix", "new").unwrap();
    let id = place.make("Made");
    assert!(id.starts_with("new-"), "{id}");
}

#[test]
fn concurrent_threads_create_beads_with_unique_ids() {
    let place = StoreFixture::new();
    std::thread::scope(|scope| {
        for worker in 0..8 {
            let place = &place;
            scope.spawn(move || {
                for number in 0..10 {
                    place.make(&format!("{worker} {number}"));
                    place.store.snapshot().unwrap();
                }
            });
        }
    });
    assert_eq!(place.ids().len(), 80);
}

#[test]
fn ten_thousand_beads_are_read_in_one_pass() {
    let lines: Vec<String> = (0..10_000)
        .map(|number| bead_line(&format!("bd-{number:05}"), "t"))
        .collect();
    let text = lines.join("\n");
    let place = StoreFixture::with_issues(&text);
    let snapshot = place.store.snapshot().unwrap();
    assert_eq!(snapshot.live().count(), 10_000);
    let edges: usize = snapshot
        .live()
        .map(|bead| snapshot.dependents_of(&bead.id).len())
        .sum();
    assert_eq!(edges, 0);
}

#[test]
fn an_idle_journal_is_folded_after_half_a_minute() {
    let place = StoreFixture::new();
    let deferred = place.with_deferred_folds();
    let id = deferred.make("Late");
    let at = |text: &str| Clock::stepped(text.parse().unwrap());
    let early = at("2026-02-01T00:00:20Z");
    assert!(!deferred.store.fold_when_old(&early).unwrap());
    assert_eq!(place.text("issues.jsonl"), "");
    let late = at("2026-02-01T00:00:40Z");
    assert!(deferred.store.fold_when_old(&late).unwrap());
    assert!(place.text("issues.jsonl").contains(&id));
    assert_eq!(place.text("journal.jsonl"), "");
    assert!(!deferred.store.fold_when_old(&late).unwrap());
}

#[test]
fn only_the_first_of_many_writers_folds_a_long_journal() {
    let long = "t".repeat(1000);
    let lines: Vec<String> = (0..1200)
        .map(|number| bead_line(&format!("bd-{number:05}"), &long))
        .collect();
    let place = StoreFixture::with_issues(&(lines.join("\n") + "\n"));
    age_file(&place.dir.join("issues.jsonl"));
    let writer = place.with_deferred_folds();
    for _ in 0..300 {
        writer.make(&"Long ".repeat(90));
    }
    assert!(place.text("journal.jsonl").len() > 130 << 10);
    place.store.fold_when_due(&place.clock).unwrap();
    assert_eq!(place.text("journal.jsonl"), "");
    // The next process finds the lines that were written in the meantime.
    writer.make("Short");
    place.store.fold_when_due(&place.clock).unwrap();
    assert!(place.text("journal.jsonl").contains("Short"));
    place.store.fold(&place.clock).unwrap();
    assert_eq!(place.text("journal.jsonl"), "");
}

#[test]
fn a_file_with_a_future_time_is_still_folded() {
    let place = StoreFixture::with_issues(&format!("{}\n", bead_line("bd-a", "x")));
    assert_eq!(place.ids(), ["bd-a"]);
    let path = place.dir.join("issues.jsonl");
    fs::write(
        &path,
        format!("{}\n{}\n", bead_line("bd-a", "x"), bead_line("bd-b", "y")),
    )
    .unwrap();
    let file = fs::File::options().write(true).open(&path).unwrap();
    let ahead = std::time::Duration::from_secs(10_000_000_000);
    file.set_modified(std::time::UNIX_EPOCH + ahead).unwrap();
    let id = place.make("Now");
    assert!(place.text("issues.jsonl").contains(&id));
}

#[test]
fn an_index_that_lacks_a_bead_is_detected() {
    let place = StoreFixture::with_issues(&format!("{}\n", bead_line("bd-a", "x")));
    place.store.snapshot().unwrap();
    let index = fs::read(place.dir.join("index.bin")).unwrap();
    assert!(place.store.is_index_correct().unwrap());
    let path = place.dir.join("issues.jsonl");
    fs::write(
        &path,
        format!("{}\n{}\n", bead_line("bd-a", "x"), bead_line("bd-b", "y")),
    )
    .unwrap();
    fs::write(place.dir.join("index.bin"), index).unwrap();
    assert!(!place.store.is_index_correct().unwrap());
}

#[test]
fn a_write_of_equal_content_keeps_the_bytes_of_a_foreign_line() {
    let odd = r#"{"title":"Odd order","id":"bd-odd","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"}"#;
    let place = StoreFixture::with_issues(&format!("{odd}\n"));
    place.ids();
    let write = |tx: &mut Tx<'_>| -> anyhow::Result<()> {
        let odd = tx.get("bd-odd").cloned();
        tx.put(odd.unwrap_or_default())?;
        change::create_bead(
            tx,
            NewBead {
                title: "Another".into(),
                ..NewBead::default()
            },
        )?;
        let gone = change::create_bead(
            tx,
            NewBead {
                title: "Not kept".into(),
                ..NewBead::default()
            },
        )?;
        tx.erase(&gone.id)?;
        Ok(())
    };
    place.change(write).unwrap();
    // The change was folded at once, from the transaction's data in memory.
    assert_eq!(place.text("journal.jsonl"), "");
    let issues = place.text("issues.jsonl");
    assert!(issues.contains(&format!("{odd}\n")), "{issues}");
    assert_eq!(issues.lines().count(), 2, "{issues}");
    assert!(!place.text("events.local.jsonl").contains("bd-odd"));
}

#[test]
fn a_change_is_later_than_one_that_a_clock_ahead_made() {
    let place = StoreFixture::new();
    let id = place.make("One");
    let ahead = Clock::stepped("2026-01-01T00:10:00Z".parse().unwrap());
    let author = test_author();
    let changed = place.store.transact(&author, &ahead, |tx| {
        let mut bead = tx.get(&id).cloned().unwrap();
        bead.title = "From a clock ahead".to_owned();
        Ok(tx.put_updated(bead)?)
    });
    changed.unwrap();
    let updated_at = || {
        let snapshot = place.store.snapshot().unwrap();
        snapshot.get(&id).unwrap().updated_at.clone()
    };
    let before = updated_at();
    place
        .change(|tx| Ok(change::close_bead(tx, &id, "done", "", false)?))
        .unwrap();
    assert!(updated_at() > before);
}
