//! The rules of the operations on beads.

use super::*;
use crate::bead::{DepKind, Kind, Status};
use crate::store::{Author, Store, Tx};
use kit::sys::Clock;

/// Runs `work` in a transaction on a fresh store.
fn with_transaction<T>(work: impl FnOnce(&mut Tx<'_>) -> anyhow::Result<T>) -> T {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::create(&folder.path().join(".beads"), "bd").unwrap();
    let clock = Clock::stepped("2026-01-01T00:00:00Z".parse().unwrap());
    let author = Author {
        actor: "dana".into(),
        owner: "dana@example.com".into(),
        ..Author::default()
    };
    store.transact(&author, &clock, work).unwrap()
}

fn create_with_id(tx: &mut Tx<'_>, id: &str) -> String {
    let new = NewBead {
        id: Some(id.into()),
        title: id.into(),
        ..NewBead::default()
    };
    create_bead(tx, new).unwrap().id
}

fn build_titled(title: &str) -> NewBead {
    NewBead {
        title: title.into(),
        ..NewBead::default()
    }
}

#[test]
fn a_new_bead_records_its_creator_and_times() {
    let bead = with_transaction(|tx| Ok(create_bead(tx, build_titled("T"))?));
    assert_eq!(
        (bead.created_by.as_str(), bead.owner.as_str()),
        ("dana", "dana@example.com")
    );
    assert_eq!(bead.created_at, bead.updated_at);
    assert!(bead.id.starts_with("bd-") && bead.id.len() == 6);
}

#[test]
fn beads_with_the_same_title_get_different_ids() {
    let ids = with_transaction(|tx| {
        let mut ids = std::collections::HashSet::new();
        for _ in 0..300 {
            ids.insert(create_bead(tx, build_titled("same"))?.id);
        }
        Ok(ids)
    });
    assert_eq!(ids.len(), 300);
}

#[test]
fn children_are_numbered_and_numbers_are_not_reused() {
    with_transaction(|tx| {
        let parent = create_with_id(tx, "bd-p");
        let child = |tx: &mut Tx<'_>, parent: &str| {
            create_bead(
                tx,
                NewBead {
                    parent: Some(parent.into()),
                    ..build_titled("c")
                },
            )
            .map(|bead| bead.id)
        };
        assert_eq!(child(tx, &parent)?, "bd-p.1");
        create_with_id(tx, "bd-p.7");
        assert_eq!(child(tx, &parent)?, "bd-p.8");
        delete_bead(tx, "bd-p.8", "", false)?;
        assert_eq!(child(tx, &parent)?, "bd-p.9");
        assert_eq!(tx.get("bd-p.9").unwrap().parent(), Some("bd-p"));
        let deep = child(tx, "bd-p.9")?;
        let deeper = child(tx, &deep)?;
        assert!(matches!(
            child(tx, &deeper),
            Err(ChangeError::TooDeep { limit: 3, .. })
        ));
        assert!(matches!(
            child(tx, "bd-none"),
            Err(ChangeError::NoParent(_))
        ));
        Ok(())
    });
}

#[test]
fn an_explicit_id_needs_the_prefix_or_force_and_must_be_free() {
    with_transaction(|tx| {
        create_with_id(tx, "bd-x");
        let by_hand = |tx: &mut Tx<'_>, id: &str, force| {
            create_bead(
                tx,
                NewBead {
                    id: Some(id.into()),
                    force,
                    ..build_titled("t")
                },
            )
        };
        assert!(matches!(
            by_hand(tx, "bd-x", true),
            Err(ChangeError::Exists(_))
        ));
        let error = by_hand(tx, "hq-cv-abc", false).unwrap_err().to_string();
        assert!(
            error.contains("prefix mismatch") && error.contains("'bd-'"),
            "{error}"
        );
        assert_eq!(by_hand(tx, "hq-cv-abc", true)?.id, "hq-cv-abc");
        assert!(
            by_hand(tx, "nohyphen", true)
                .unwrap_err()
                .to_string()
                .contains("invalid ID format")
        );
        assert!(by_hand(tx, "bd-../x", true).is_err());
        delete_bead(tx, "bd-x", "", false)?;
        assert!(by_hand(tx, "bd-x", false)?.labels.is_empty());
        Ok(())
    });
}

#[test]
fn only_one_claim_of_a_bead_succeeds() {
    with_transaction(|tx| {
        let id = create_with_id(tx, "bd-a");
        let bead = claim_bead(tx, &id, "nux")?;
        assert_eq!(
            (bead.status, bead.assignee.as_str()),
            (Status::InProgress, "nux")
        );
        let error = claim_bead(tx, &id, "nux").unwrap_err();
        assert_eq!(error.to_string(), "already claimed by nux");
        close_bead(tx, &id, "", "", false)?;
        set_status(tx, &id, Status::Open)?;
        let error = claim_bead(tx, &id, "slit").unwrap_err();
        assert_eq!(error.to_string(), "already claimed by nux");
        let again = claim_bead(tx, &id, "nux")?;
        assert_eq!(again.status, Status::InProgress, "its assignee goes on");
        close_bead(tx, &id, "", "", false)?;
        amend_bead(tx, &id, |bead| bead.assignee.clear())?;
        assert!(matches!(
            claim_bead(tx, &id, "slit"),
            Err(ChangeError::ClaimClosed(_))
        ));
        Ok(())
    });
}

#[test]
fn a_status_change_sets_its_times() {
    with_transaction(|tx| {
        let id = create_with_id(tx, "bd-a");
        let closed = set_status(tx, &id, Status::Closed)?;
        assert!(closed.closed_at.is_some() && closed.close_reason.is_empty());
        close_bead(tx, &id, "done", "s1", false)?;
        let open = set_status(tx, &id, Status::Open)?;
        assert!(open.closed_at.is_none() && open.close_reason.is_empty());
        assert!(matches!(
            set_status(tx, &id, Status::Tombstone),
            Err(ChangeError::TombstoneStatus)
        ));
        assert!(set_status(tx, &id, "odd".into()).is_err());
        Ok(())
    });
}

#[test]
fn omitted_fields_stay_and_label_changes_keep_the_update_time() {
    with_transaction(|tx| {
        let id = create_with_id(tx, "bd-a");
        let edit = BeadEdit {
            description: Some("text".into()),
            append_notes: Some("one".into()),
            set_metadata: vec![("k".into(), serde_json::value::to_raw_value("v").unwrap())],
            ..BeadEdit::default()
        };
        let bead = update_bead(tx, &id, edit)?;
        assert_eq!(
            (
                bead.description.as_str(),
                bead.notes.as_str(),
                bead.title.as_str()
            ),
            ("text", "one", "bd-a")
        );
        assert_eq!(bead.metadata.as_ref().unwrap().get(), r#"{"k":"v"}"#);
        let labelled = update_bead(
            tx,
            &id,
            BeadEdit {
                add_labels: vec!["x".into()],
                ..BeadEdit::default()
            },
        )?;
        assert_eq!(labelled.updated_at.as_str(), bead.updated_at.as_str());
        let cleared = update_bead(
            tx,
            &id,
            BeadEdit {
                unset_metadata: vec!["k".into()],
                description: Some(String::new()),
                set_labels: Some(vec![]),
                ..BeadEdit::default()
            },
        )?;
        assert!(
            cleared.metadata.is_none()
                && cleared.description.is_empty()
                && cleared.labels.is_empty()
        );
        Ok(())
    });
}

#[test]
fn closing_a_blocked_bead_is_refused() {
    with_transaction(|tx| {
        let (a, b) = (create_with_id(tx, "bd-a"), create_with_id(tx, "bd-b"));
        add_dep(tx, &a, &b, DepKind::Blocks)?;
        let error = close_bead(tx, &a, "", "", false).unwrap_err().to_string();
        assert!(error.contains("blocked by open issues [bd-b]"), "{error}");
        close_bead(tx, &a, "", "", true)?;
        close_bead(tx, &b, "", "", false)?;
        set_status(tx, &b, Status::Pinned)?;
        assert!(matches!(
            close_bead(tx, &b, "", "", false),
            Err(ChangeError::Pinned(_))
        ));
        Ok(())
    });
}

#[test]
fn a_bead_blocked_only_through_its_parent_can_be_closed() {
    with_transaction(|tx| {
        let (parent, blocker) = (create_with_id(tx, "bd-p"), create_with_id(tx, "bd-b"));
        add_dep(tx, &parent, &blocker, DepKind::Blocks)?;
        let child = create_bead(
            tx,
            NewBead {
                parent: Some(parent),
                ..build_titled("c")
            },
        )?
        .id;
        close_bead(tx, &child, "", "", false)?;
        Ok(())
    });
}

#[test]
fn circles_across_kinds_are_refused_but_a_diamond_is_allowed() {
    with_transaction(|tx| {
        let ids: Vec<String> = ["bd-a", "bd-b", "bd-c", "bd-d"]
            .iter()
            .map(|id| create_with_id(tx, id))
            .collect();
        add_dep(tx, "bd-a", "bd-b", DepKind::Blocks)?;
        add_dep(tx, "bd-a", "bd-c", DepKind::Related)?;
        add_dep(tx, "bd-b", "bd-d", DepKind::DiscoveredFrom)?;
        add_dep(tx, "bd-c", "bd-d", DepKind::Blocks)?;
        assert_eq!(find_cycle(tx), None);
        let error = add_dep(tx, "bd-d", "bd-a", DepKind::Tracks)
            .unwrap_err()
            .to_string();
        assert!(error.contains("cycle (bd-d → bd-a → "), "{error}");
        assert!(add_dep(tx, "bd-d", "bd-a", DepKind::RelatesTo)?);
        assert_eq!(find_cycle(tx), None);
        assert!(matches!(
            add_dep(tx, &ids[0], &ids[0], DepKind::Blocks),
            Err(ChangeError::SelfDependency)
        ));
        assert!(add_dep(tx, "bd-a", "external:x:y", DepKind::Blocks)?);
        Ok(())
    });
}

#[test]
fn a_circle_in_the_file_is_found_and_starts_at_its_smallest_id() {
    with_transaction(|tx| {
        for (id, to) in [("bd-c", "bd-a"), ("bd-a", "bd-b"), ("bd-b", "bd-c")] {
            let mut bead = tx.get(id).cloned().unwrap_or(Bead {
                id: id.into(),
                title: "t".into(),
                ..Bead::default()
            });
            bead.dependencies.push(crate::bead::Dep {
                issue_id: id.into(),
                depends_on_id: to.into(),
                ..Default::default()
            });
            tx.put(bead)?;
        }
        assert_eq!(find_cycle(tx).unwrap(), ["bd-a", "bd-b", "bd-c"]);
        Ok(())
    });
}

#[test]
fn two_beads_have_at_most_one_edge() {
    with_transaction(|tx| {
        create_with_id(tx, "bd-a");
        create_with_id(tx, "bd-b");
        assert!(add_dep(tx, "bd-a", "bd-b", DepKind::Blocks)?);
        assert!(!add_dep(tx, "bd-a", "bd-b", DepKind::Blocks)?);
        assert!(matches!(
            add_dep(tx, "bd-a", "bd-b", DepKind::Tracks),
            Err(ChangeError::OtherEdge { .. })
        ));
        remove_dep(tx, "bd-a", "bd-b")?;
        assert!(matches!(
            remove_dep(tx, "bd-a", "bd-b"),
            Err(ChangeError::NoEdge { .. })
        ));
        assert!(matches!(
            add_dep(tx, "bd-a", "bd-zz", DepKind::Blocks),
            Err(ChangeError::NoTarget(_))
        ));
        Ok(())
    });
}

#[test]
fn parents_and_children_are_linked_in_the_right_direction() {
    with_transaction(|tx| {
        let epic = create_bead(
            tx,
            NewBead {
                id: Some("bd-e".into()),
                issue_type: Kind::Epic,
                ..build_titled("e")
            },
        )?
        .id;
        let task = create_with_id(tx, "bd-t");
        assert!(matches!(
            add_dep(tx, &epic, &task, DepKind::ParentChild),
            Err(ChangeError::ParentDependsOnChild { .. })
        ));
        set_parent(tx, &task, Some(&epic))?;
        assert_eq!(tx.get(&task).unwrap().parent(), Some("bd-e"));
        let child = create_bead(
            tx,
            NewBead {
                parent: Some(task.clone()),
                ..build_titled("c")
            },
        )?
        .id;
        set_parent(tx, &child, None)?;
        assert!(matches!(
            add_dep(tx, &child, &task, DepKind::Blocks),
            Err(ChangeError::Deadlock { .. })
        ));
        assert_eq!(tx.get(&child).unwrap().parent(), None);
        Ok(())
    });
}

#[test]
fn a_deleted_bead_leaves_a_tombstone_and_no_links() {
    with_transaction(|tx| {
        let (a, b) = (create_with_id(tx, "bd-a"), create_with_id(tx, "bd-b"));
        add_dep(tx, &a, &b, DepKind::Blocks)?;
        amend_bead(tx, &a, |bead| bead.notes = "see bd-b and bd-bb".into())?;
        let done = delete_bead(tx, &b, "dup", false)?;
        assert_eq!((done.dependencies_removed, done.references_updated), (1, 1));
        let (a, b) = (tx.get(&a).unwrap(), tx.get(&b).unwrap());
        assert_eq!(a.notes, "see [deleted:bd-b] and bd-bb");
        assert!(a.dependencies.is_empty());
        assert_eq!(
            (
                b.status.as_str(),
                b.title.as_str(),
                b.original_type.as_str()
            ),
            ("tombstone", "bd-b", "task")
        );
        assert!(matches!(
            load_live_bead(tx, "bd-b"),
            Err(ChangeError::NotFound(_))
        ));
        delete_bead(tx, "bd-a", "", true)?;
        assert!(tx.get("bd-a").is_none());
        Ok(())
    });
}

#[test]
fn comments_are_numbered_and_may_be_empty() {
    with_transaction(|tx| {
        let id = create_with_id(tx, "bd-a");
        assert_eq!(add_comment(tx, &id, "lee", "one")?.id, 1);
        let second = add_comment(tx, &id, "lee", "")?;
        assert_eq!(
            (second.id, second.created_at.as_str()),
            (2, "2026-01-01T00:00:00Z")
        );
        assert!(matches!(
            add_comment(tx, "bd-zz", "lee", "x"),
            Err(ChangeError::NotFound(_))
        ));
        reopen_bead(tx, &id, Some("why"))?;
        assert_eq!(tx.get(&id).unwrap().comments.len(), 2);
        Ok(())
    });
}

#[test]
fn adding_or_removing_a_label_twice_is_harmless() {
    with_transaction(|tx| {
        let id = create_with_id(tx, "bd-a");
        assert!(add_label(tx, &id, "b")? && add_label(tx, &id, "a")?);
        assert!(!add_label(tx, &id, "a")?);
        assert_eq!(tx.get(&id).unwrap().labels, ["a", "b"]);
        assert!(remove_label(tx, &id, "a")? && !remove_label(tx, &id, "a")?);
        assert!(matches!(
            add_label(tx, &id, ""),
            Err(ChangeError::EmptyLabel)
        ));
        Ok(())
    });
}

#[test]
fn templates_are_read_only() {
    with_transaction(|tx| {
        let id = create_bead(
            tx,
            NewBead {
                is_template: true,
                ..build_titled("t")
            },
        )?
        .id;
        assert!(matches!(
            set_status(tx, &id, Status::InProgress),
            Err(ChangeError::Template(_))
        ));
        assert!(matches!(
            close_bead(tx, &id, "", "", false),
            Err(ChangeError::Template(_))
        ));
        assert!(matches!(
            claim_bead(tx, &id, "x"),
            Err(ChangeError::Template(_))
        ));
        Ok(())
    });
}
