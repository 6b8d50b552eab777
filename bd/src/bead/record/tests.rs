//! Round trips of records.

use proptest::prelude::*;

use super::*;

/// The example lines of existing clients.
const ERA: &[&str] = &[
    r#"{"id":"bd-k3f","title":"Login form rejects plus signs in e-mail","description":"Steps\nEnter a+b@example.com\n\nAccepted \u0026 stored","status":"in_progress","priority":1,"issue_type":"bug","assignee":"dana","owner":"dana@example.com","estimated_minutes":90,"created_at":"2026-03-01T09:15:30.120045-08:00","created_by":"dana","updated_at":"2026-03-02T10:00:00.5-08:00","external_ref":"gh-41","labels":["auth","urgent"],"comments":[{"id":1,"issue_id":"bd-k3f","author":"lee","text":"Seen on staging too","created_at":"2026-03-01T18:02:11Z"}]}"#,
    r#"{"id":"bd-k3f.1","title":"Add regression test","status":"open","priority":2,"issue_type":"task","created_at":"2026-03-01T09:20:00-08:00","created_by":"dana","updated_at":"2026-03-01T09:20:00-08:00","dependencies":[{"issue_id":"bd-k3f.1","depends_on_id":"bd-k3f","type":"parent-child","created_at":"2026-03-01T09:20:00.01-08:00","created_by":"dana"}]}"#,
    r#"{"id":"bd-w0z","title":"Obsolete spike","description":"old text stays","status":"tombstone","priority":3,"issue_type":"task","created_at":"2026-01-05T08:00:00Z","updated_at":"2026-03-03T08:00:00Z","deleted_at":"2026-03-03T08:00:00Z","deleted_by":"dana","delete_reason":"delete","original_type":"task"}"#,
    r#"{"id":"gt-gastown-witness","title":"Witness of gastown","description":"role_type: witness\nrig: gastown","status":"open","priority":2,"issue_type":"agent","created_at":"2026-03-01T00:00:00Z","updated_at":"2026-03-04T06:30:00Z","labels":["gt:agent"],"hook_bead":"gt-9xk","agent_state":"working","last_activity":"2026-03-04T06:30:00Z","role_type":"witness","rig":"gastown"}"#,
];

fn round_trip(text: &str) -> String {
    String::from_utf8(serialize_bead(&parse_bead(text.as_bytes()).unwrap())).unwrap()
}

#[test]
fn lines_of_existing_clients_round_trip_byte_for_byte() {
    for text in ERA {
        assert_eq!(round_trip(text), *text);
    }
}

#[test]
fn unknown_keys_keep_their_bytes_at_every_level() {
    let text = r#"{"id":"a-1","title":"t","status":"open","priority":0,"issue_type":"task","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","metadata":{"x": 1e5, "y":[12345678901234567890123]},"dependencies":[{"issue_id":"a-1","depends_on_id":"a-2","type":"blocks","created_at":"2026-01-01T00:00:00Z","weight":1.50}],"quality_score":0.70,"zeta":"<\u003c>","big":123456789012345678901234567890,"exp":1E+5}"#;
    assert_eq!(round_trip(text), text);
}

#[test]
fn missing_values_get_the_defaults_of_the_format() {
    let bead = parse_bead(br#"{"id":"a-1","status":null,"assignee":null}"#).unwrap();
    assert_eq!(bead.status, Status::Open);
    assert_eq!(bead.issue_type, Kind::Task);
    assert_eq!(bead.priority, 0);
    assert_eq!(bead.assignee, "");
}

#[test]
fn the_first_value_of_a_duplicate_key_counts() {
    let bead = parse_bead(br#"{"id":"a-1","title":"one","title":"two"}"#).unwrap();
    assert_eq!(bead.title, "one");
}

#[test]
fn a_record_without_an_id_is_refused() {
    assert!(matches!(parse_bead(b"{}"), Err(RecordError::NoId)));
    assert!(matches!(parse_bead(b"{\"id\":"), Err(RecordError::Json(_))));
}

#[test]
fn a_deleted_bead_of_any_status_is_a_tombstone() {
    let bead = parse_bead(br#"{"id":"a","status":"open","deleted_at":"2026-01-01T00:00:00Z"}"#);
    assert_eq!(bead.unwrap().status, Status::Tombstone);
}

#[test]
fn text_is_escaped_as_existing_clients_do() {
    let bead = Bead {
        id: "a-1".into(),
        title: "<b> & \u{2028}é".into(),
        notes: "a \u{2014} b\u{2029}c \u{2013}>\u{2028}&".into(),
        ..Bead::default()
    };
    let text = String::from_utf8(serialize_bead(&bead)).unwrap();
    for expected in [
        r#""title":"\u003cb\u003e \u0026 \u2028é""#,
        r#""notes":"a — b\u2029c –\u003e\u2028\u0026""#,
    ] {
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn a_number_too_large_for_a_json_value_becomes_a_string() {
    let bead = parse_bead(br#"{"id":"a-1","huge":1e999}"#).unwrap();
    assert_eq!(bead_to_json_value(&bead)["huge"], "1e999");
    assert!(round_trip(r#"{"id":"a-1","huge":1e999}"#).contains(r#""huge":1e999"#));
}

#[test]
fn a_known_key_of_the_wrong_type_is_kept_and_hides_nothing() {
    let text = r#"{"id":"a-1","title":"t","status":"open","issue_type":"task","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","labels":["x"],"priority":"1","comments":[{"id":"c-7","text": "hi"}],"own":1}"#;
    let bead = parse_bead(text.as_bytes()).unwrap();
    assert_eq!(
        (bead.title.as_str(), bead.labels.len(), bead.priority),
        ("t", 1, 0)
    );
    assert_eq!(bead.comments[0].text, "hi");
    let written = round_trip(text);
    assert_eq!(written.matches("\"priority\"").count(), 1);
    assert!(
        written.contains(r#""priority":"1""#)
            && written.contains(r#""text":"hi""#)
            && written.contains(r#""id":"c-7""#),
        "{written}"
    );
    assert_eq!(round_trip(&written), written);
    let mut changed = bead.clone();
    changed.priority = 3;
    drop_replaced(&bead, &mut changed);
    let line = String::from_utf8(serialize_bead(&changed)).unwrap();
    assert!(
        line.contains(r#""priority":3"#) && line.contains("c-7"),
        "{line}"
    );
    assert!(parse_bead(br#"{"id":7}"#).is_err());
}

fn raw_json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,4})?([eE][+-]?[0-9]{1,3})?",
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[{}]", items.join(" , "))),
            proptest::collection::vec(("[a-z]{1,5}", inner), 0..4).prop_map(|items| {
                let items: Vec<_> = items
                    .iter()
                    .map(|(k, v)| format!("\"{k}\" : {v}"))
                    .collect();
                format!("{{{}}}", items.join(","))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn any_record_survives_a_round_trip(
        title in any::<String>(),
        description in any::<String>(),
        labels in proptest::collection::vec("[a-z:]{1,8}", 0..4),
        minutes in proptest::option::of(0i64..1000),
        extra in proptest::collection::vec(("x_[a-z]{1,6}", raw_json()), 0..4),
    ) {
        let mut bead = Bead {
            id: "p-1".into(),
            title,
            description,
            labels,
            estimated_minutes: minutes,
            ..Bead::default()
        };
        for (key, raw) in extra {
            bead.extra.push((key, serde_json::value::RawValue::from_string(raw).unwrap()));
        }
        let once = serialize_bead(&bead);
        let read = parse_bead(&once).unwrap();
        prop_assert_eq!(&read.title, &bead.title);
        prop_assert_eq!(&read.description, &bead.description);
        for (a, b) in read.extra.iter().zip(&bead.extra) {
            prop_assert_eq!(a.1.get(), b.1.get());
        }
        prop_assert_eq!(read.extra.len(), bead.extra.len());
        prop_assert_eq!(serialize_bead(&read), once);
    }
}

#[test]
fn a_too_large_number_becomes_a_string_at_any_depth() {
    let line = br#"{"id":"a-1","x":1e400,"dependencies":[{"depends_on_id":"b","y":1e400}],"comments":[{"text":"t","z":[1e400]}]}"#;
    let value = bead_to_json_value(&parse_bead(line).unwrap());
    assert_eq!(value["x"], "1e400");
    assert_eq!(value["dependencies"][0]["y"], "1e400");
    assert_eq!(value["comments"][0]["z"][0], "1e400");
}

#[test]
fn a_second_value_of_the_wrong_type_does_not_replace_the_first() {
    let text = br#"{"id":"a-1","timeout":1e400,"id":4,"title":"t","title":[]}"#;
    let bead = parse_bead(text).unwrap();
    assert_eq!((bead.id.as_str(), bead.title.as_str()), ("a-1", "t"));
    let line = String::from_utf8(serialize_bead(&bead)).unwrap();
    assert!(line.starts_with(r#"{"id":"a-1","title":"t","#), "{line}");
}

#[test]
fn a_field_of_another_type_keeps_its_content_through_a_change() {
    let text =
        r#"{"id":"a-1","title":"t","notes":["one",{"two":2}],"labels":"x, y","comments":"hi"}"#;
    let before = parse_bead(text.as_bytes()).unwrap();
    assert_eq!(before.notes, "one\n{\"two\":2}");
    assert_eq!(before.labels, ["x", "y"]);
    let written = String::from_utf8(serialize_bead(&before)).unwrap();
    for part in [
        r#""notes":["one",{"two":2}]"#,
        r#""labels":"x, y""#,
        r#""comments":"hi""#,
    ] {
        assert!(written.contains(part), "{written}");
    }
    let mut changed = before.clone();
    changed.notes.push_str("\nthree");
    changed.labels.push("z".to_owned());
    changed.comments.push(Comment::default());
    drop_replaced(&before, &mut changed);
    let line = String::from_utf8(serialize_bead(&changed)).unwrap();
    let parts = [
        r#""notes":"one\n{\"two\":2}\nthree""#,
        r#""labels":["x","y","z"]"#,
        r#""unread_comments":"hi""#,
    ];
    for part in parts {
        assert!(line.contains(part), "{line}");
    }
}
