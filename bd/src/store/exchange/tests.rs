use std::fs;

use super::*;
use crate::bead::Bead;
use crate::store::Author;

struct TestStore {
    _folder: tempfile::TempDir,
    store: Store,
    clock: Clock,
    random: RandomSource,
}

fn create_test_store() -> TestStore {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join(".beads"), "p").unwrap();
    TestStore {
        _folder: folder,
        store,
        clock: Clock::choose(Some("2026-11-22T10:00:00Z")),
        random: RandomSource::choose(Some("3")),
    }
}

impl TestStore {
    fn put(&self, id: &str, title: &str) {
        let author = Author {
            actor: "a".to_owned(),
            ..Author::default()
        };
        let made = self.store.transact(&author, &self.clock, |tx| {
            let bead = Bead {
                id: id.to_owned(),
                title: title.to_owned(),
                created_at: tx.now(),
                updated_at: tx.now(),
                ..Bead::default()
            };
            Ok(tx.put(bead)?)
        });
        made.unwrap();
    }

    fn exchange(
        &self,
        unite: impl FnMut(&StoreSide) -> Result<UnitedStore, StoreError>,
    ) -> Result<ExchangedStore, StoreError> {
        self.store.exchange(&self.clock, &self.random, unite)
    }

    fn issues(&self) -> String {
        fs::read_to_string(self.store.issues_file()).unwrap()
    }

    fn events(&self) -> usize {
        self.store.events().unwrap().len()
    }
}

fn keep_unchanged(current: &StoreSide) -> UnitedStore {
    UnitedStore {
        issues: current.issues.clone(),
        archive: current.archive.clone(),
        ..UnitedStore::default()
    }
}

#[test]
fn an_exchange_without_news_keeps_the_file_and_moves_the_history() {
    let place = create_test_store();
    place.put("p-1", "one");
    let before = place.issues();
    assert!(place.store.has_changes_since_base());
    let shared = place
        .exchange(|current| Ok(keep_unchanged(current)))
        .unwrap();
    assert_eq!(place.issues(), before);
    assert_eq!(shared.side.issues, before.as_bytes());
    let names: Vec<String> = place.store.history_files().into_keys().collect();
    assert!(names[0].ends_with("/2026-11.jsonl"), "{names:?}");
    assert_eq!((names.len(), place.events()), (1, 1));
    let base = SyncBase {
        branch: "b".into(),
        commit: "c".into(),
        at: String::new(),
        issues: shared.version,
    };
    place.store.set_base(&base).unwrap();
    assert_eq!(place.store.base(), Some(base));
    assert!(!place.store.has_changes_since_base());
    assert_eq!(place.store.oldest_waiting_change(), None);
    place.put("p-2", "two");
    let oldest = place.store.oldest_waiting_change();
    assert!(oldest.is_some_and(|at| at <= place.clock.now()));
    place.put("p-3", "three");
    assert!(place.store.has_changes_since_base());
    assert_eq!(place.store.oldest_waiting_change(), oldest);
}

#[test]
fn received_changes_are_visible_at_once() {
    let place = create_test_store();
    place.put("p-1", "one");
    let line = "{\"id\":\"p-0\",\"title\":\"theirs\"}\n";
    let shared = place
        .exchange(|current| {
            let mut united = keep_unchanged(current);
            united.issues = [line.as_bytes(), &current.issues].concat();
            united
                .events
                .insert("k/2026-01.jsonl".to_owned(), b"history\n".to_vec());
            united.lost.push(OverruledValue {
                id: "p-1".into(),
                field: "title".into(),
                value: "\"lost\"".into(),
            });
            Ok(united)
        })
        .unwrap();
    assert_eq!(shared.side.issues, place.issues().as_bytes());
    let snapshot = place.store.snapshot().unwrap();
    assert_eq!(snapshot.get("p-0").unwrap().title, "theirs");
    assert!(!snapshot.source.is_unsettled());
    assert_eq!(place.store.history_files().len(), 2);
    let events = place.store.events().unwrap();
    assert!(events.iter().any(|event| event.verb == "merge"));
    // The next change is folded as usual.
    place.put("p-2", "two");
    assert!(place.issues().contains("p-2"));
    assert!(place.store.reports.take_notices().is_empty());
}

#[test]
fn a_file_changed_by_another_program_during_the_exchange_is_reread() {
    let place = create_test_store();
    place.put("p-1", "one");
    let path = place.store.issues_file().to_owned();
    let mut asked = 0;
    place
        .exchange(|current| {
            asked += 1;
            if asked == 1 {
                let text = String::from_utf8(current.issues.clone()).unwrap();
                let more = format!("{text}{{\"id\":\"p-9\",\"title\":\"by hand\"}}\n");
                fs::write(&path, more).unwrap();
            }
            let mut united = keep_unchanged(current);
            united.issues = [
                b"{\"id\":\"p-0\",\"title\":\"theirs\"}\n",
                &current.issues[..],
            ]
            .concat();
            Ok(united)
        })
        .unwrap();
    assert_eq!(asked, 2);
    let issues = place.issues();
    for id in ["p-0", "p-1", "p-9"] {
        assert!(issues.contains(id), "{issues}");
    }
}

#[test]
fn a_refused_exchange_changes_nothing() {
    let place = create_test_store();
    place.put("p-1", "one");
    let before = place.issues();
    let refused = place.exchange(|_| Err(StoreError::MixedPrefixes));
    assert!(matches!(refused, Err(StoreError::MixedPrefixes)));
    assert_eq!((place.issues(), place.events()), (before, 1));
    assert!(place.store.history_files().is_empty());
}

#[test]
fn only_well_formed_history_and_year_paths_are_accepted() {
    for name in ["k/2026-01.jsonl", "a1/x.jsonl"] {
        assert!(is_history_name(name), "{name}");
    }
    for name in [
        "2026-01.jsonl",
        "../x.jsonl",
        "a/../x.jsonl",
        "a/b/c.jsonl",
        "a/.jsonl",
        "a/x",
    ] {
        assert!(!is_history_name(name), "{name}");
    }
    assert!(
        is_archive_name("2026.jsonl")
            && !is_archive_name("../2026.jsonl")
            && !is_archive_name(".jsonl")
    );
}

#[test]
fn symlinked_files_are_neither_shared_nor_written() {
    let place = create_test_store();
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret");
    fs::write(&secret, "private\n").unwrap();
    let dir = place.store.dir().to_owned();
    let link = |to: &Path, name: &str| {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(to, path).unwrap();
    };
    link(&secret, "events/x/2026-01.jsonl");
    link(outside.path(), "events/y");
    fs::write(outside.path().join("2026-01.jsonl"), "private\n").unwrap();
    link(&secret, "archive/2020.jsonl");
    assert!(place.store.history_files().is_empty());
    assert!(place.store.store_side().unwrap().archive.is_empty());
    for name in ["x/2026-01.jsonl", "y/2026-01.jsonl"] {
        let refused = place.exchange(|current| {
            let mut united = keep_unchanged(current);
            united.events.insert(name.to_owned(), b"theirs\n".to_vec());
            Ok(united)
        });
        let error = refused.unwrap_err();
        let why = std::error::Error::source(&error).unwrap().to_string();
        assert!(why.contains("a link that leads out"), "{why}");
    }
    let refused = place.exchange(|current| {
        let mut united = keep_unchanged(current);
        let year = "2020.jsonl".to_owned();
        united.archive.insert(year, b"{\"id\":\"p-1\"}\n".to_vec());
        Ok(united)
    });
    assert!(refused.is_err());
    assert_eq!(fs::read_to_string(&secret).unwrap(), "private\n");
    let behind = fs::read_to_string(outside.path().join("2026-01.jsonl"));
    assert_eq!(behind.unwrap(), "private\n");
}
