use std::time::Duration;

use serde_json::{Value, json};

use super::*;
use crate::testing::TestTown;
use crate::town::Rig;

fn town_with_settings(settings: &str) -> TestTown {
    let place = TestTown::new();
    place.add_rig("web", None).unwrap();
    std::fs::write(place.town.layout.rig("web").settings(), settings).unwrap();
    place
}

fn read_value(place: &TestTown, rig: &Rig, name: &str) -> (Value, String) {
    let layers = SettingsLayers::load(&place.town, Some(rig)).unwrap();
    let setting = layers.get(name).unwrap();
    let origin = setting.origin.to_string();
    let layer = origin.split(':').next().unwrap_or_default().to_owned();
    (setting.value, layer)
}

fn set_value(place: &TestTown, rig: Option<&Rig>, layer: SettingsLayer, name: &str, text: &str) {
    change_setting(&place.town, rig, layer, name, Some(text)).unwrap();
}

fn gate_names(queue: &str) -> Vec<String> {
    let place = town_with_settings(&format!(r#"{{"merge_queue":{queue}}}"#));
    let rig = place.town.rig("web");
    check_guards(&rig).unwrap();
    let settings = RigSettings::load(&rig).unwrap();
    let groups = settings.gates(&rig).unwrap().into_iter();
    let names = groups.map(|group| {
        let names: Vec<String> = group.into_iter().map(|gate| gate.name).collect();
        names.join(" ")
    });
    names.collect()
}

#[test]
fn setup_runs_per_tree_gates_get_separate_trees_and_commands_share_one() {
    let queue = r#"{"test_command":"t","build_command":"b","lint_command":"l","typecheck_command":"c","setup_command":"s",
        "gates":{"b":{"cmd":"y","timeout":"2m"},"a.x":{"cmd":"x"}}}"#;
    let commands = "setup_command typecheck_command lint_command build_command test_command";
    let wanted = ["setup_command a.x", "setup_command b", commands];
    assert_eq!(gate_names(queue), wanted);
    let queue = r#"{"run_tests":false,"test_command":"t","lint_command":"l","build_command":" "}"#;
    assert_eq!(gate_names(queue), ["lint_command"]);
    let place = town_with_settings(r#"{"merge_queue":{"gates":{"b":{"cmd":"y","timeout":"2m"}}}}"#);
    let rig = place.town.rig("web");
    let settings = RigSettings::load(&rig).unwrap();
    assert_eq!(
        settings.gates(&rig).unwrap()[0][0].limit,
        Duration::from_secs(120)
    );
}

#[test]
fn unsupported_queue_settings_are_refused_by_name() {
    for (queue, words) in [
        (
            r#"{"require_clean_merge":false}"#,
            "merge_queue.require_clean_merge is `false`",
        ),
        (
            r#"{"on_conflict":"force"}"#,
            "merge_queue.on_conflict is `\"force\"`",
        ),
        (
            r#"{"merge_strategy":"push"}"#,
            "merge_queue.merge_strategy is `\"push\"`",
        ),
        (r#"{"auto_push":false}"#, "merge_queue.auto_push is `false`"),
    ] {
        let place = town_with_settings(&format!(r#"{{"merge_queue":{queue}}}"#));
        let rig = place.town.rig("web");
        let error = check_guards(&rig).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
    let fine = r#"{"require_clean_merge":true,"on_conflict":"auto_rebase","merge_strategy":"direct","auto_push":true}"#;
    assert!(gate_names(fine).is_empty());
}

#[test]
fn misplaced_gates_are_refused_with_the_correct_key() {
    for (settings, key) in [
        (
            r#"{"refinery":{"gates":{"a":{"cmd":"x"}}}}"#,
            "refinery.gates",
        ),
        (
            r#"{"refinery":{"test_command":"x"}}"#,
            "refinery.test_command",
        ),
        (r#"{"gates":{"a":{"cmd":"x"}}}"#, "gates"),
        (r#"{"lint_command":"x"}"#, "lint_command"),
    ] {
        let place = town_with_settings(settings);
        let rig = place.town.rig("web");
        let error = check_guards(&rig).unwrap_err().to_string();
        assert!(
            error.contains(&format!(
                "gates at {key} are not run: move them to merge_queue."
            )),
            "{error}"
        );
    }
    let place = town_with_settings("{}");
    let rig = place.town.rig("web");
    let old = r#"{"merge_queue":{"enabled":true,"test_command":"x"}}"#;
    std::fs::write(rig.config(), old).unwrap();
    let error = check_guards(&rig).unwrap_err().to_string();
    assert!(
        error.contains("web/config.json:1: gates at merge_queue.test_command"),
        "{error}"
    );
    assert!(error.contains("web/settings/config.json"), "{error}");
}

#[test]
fn a_key_of_another_version_is_removed_whatever_its_value() {
    for value in ["true", "false", r#""x""#] {
        let place = town_with_settings(&format!(r#"{{"zeta":1,"require_review":{value}}}"#));
        let rig = place.town.rig("web");
        let layer = SettingsLayer::Settings;
        let path = change_setting(&place.town, Some(&rig), layer, "require_review", None).unwrap();
        let left = std::fs::read_to_string(path).unwrap();
        assert!(
            left.contains("zeta") && !left.contains("require_review"),
            "{left}"
        );
    }
    let place = town_with_settings(r#"{"agents":{}}"#);
    let rig = place.town.rig("web");
    let kept = change_setting(
        &place.town,
        Some(&rig),
        SettingsLayer::Settings,
        "agents",
        None,
    );
    assert!(matches!(kept, Err(ChangeError::Kept { .. })), "{kept:?}");
}

#[test]
fn either_key_turns_on_the_review() {
    let asked = |queue: &str| {
        let place = town_with_settings(&format!(r#"{{"merge_queue":{queue}}}"#));
        let rig = place.town.rig("web");
        let settings = RigSettings::load(&rig).unwrap();
        settings.review_reason()
    };
    assert!(
        asked(r#"{"require_review":true}"#)
            .unwrap()
            .contains("require_review")
    );
    assert!(
        asked(r#"{"auto_merge":false}"#)
            .unwrap()
            .contains("auto_merge")
    );
    assert_eq!(asked(r#"{"auto_merge":true,"require_review":false}"#), None);
    assert_eq!(asked("{}"), None);
}

#[test]
fn a_bad_duration_is_named() {
    let place =
        town_with_settings(r#"{"merge_queue":{"gates":{"a":{"cmd":"x","timeout":"soon"}}}}"#);
    let rig = place.town.rig("web");
    let words = RigSettings::load(&rig).unwrap_err().to_string();
    assert!(words.contains("merge_queue.gates.a.timeout"), "{words}");
}

#[test]
fn a_gate_may_keep_only_paths_below_its_tree() {
    let gates = |path: &str| {
        let settings = json!({"merge_queue": {"gates": {"a": {"cmd": "x", "cache": [path]}}}});
        let place = town_with_settings(&settings.to_string());
        let rig = place.town.rig("web");
        RigSettings::load(&rig)?.gates(&rig)
    };
    assert_eq!(
        gates("web/node_modules").unwrap()[0][0].cache,
        ["web/node_modules"]
    );
    for bad in [
        "",
        ".",
        "/target",
        "../target",
        "a/../../b",
        ".git",
        "a/.git",
    ] {
        let words = gates(bad).unwrap_err().to_string();
        assert!(words.contains("merge_queue.gates.a.cache"), "{words}");
    }
}

#[test]
fn an_unknown_merge_strategy_is_refused_by_name() {
    let strategy = |text: &str| {
        let place = town_with_settings(&format!(r#"{{"merge_queue":{{"strategy":"{text}"}}}}"#));
        let rig = place.town.rig("web");
        RigSettings::load(&rig).map(|settings| settings.strategy())
    };
    assert_eq!(strategy("squash").unwrap(), MergeStrategy::Squash);
    assert_eq!(strategy("merge").unwrap(), MergeStrategy::Merge);
    assert_eq!(RigSettings::default().strategy(), MergeStrategy::Rebase);
    let words = strategy("ff").unwrap_err().to_string();
    let wanted =
        "config.json:1: merge_queue.strategy is `\"ff\"`; use one of rebase, squash, merge";
    assert!(words.ends_with(wanted), "{words}");
    assert!(RigSettings::default().is_auto_repair());
}

#[test]
fn a_misspelled_merge_queue_key_is_an_error_that_suggests_the_nearest() {
    for (queue, words) in [
        (
            r#"{"gates":{"test":{"cmdd":"x"}}}"#,
            "merge_queue.gates.test.cmdd: the nearest is merge_queue.gates.test.cmd;",
        ),
        (
            r#"{"gate":{"test":{"cmd":"x"}}}"#,
            "merge_queue.gate: the nearest is merge_queue.gates;",
        ),
        (
            r#"{"test_comand":"x"}"#,
            "merge_queue.test_comand: the nearest is merge_queue.test_command;",
        ),
        (
            r#"{"smoke_command":"x"}"#,
            "there is no setting merge_queue.smoke_command: the nearest is",
        ),
        (
            r#"{"gates":{"test":{"timeout":"2m"}}}"#,
            "gate merge_queue.gates.test has no command",
        ),
        (
            r#"{"gates":{"test":{"cmd":" "}}}"#,
            "gate merge_queue.gates.test has no command",
        ),
    ] {
        let place = town_with_settings(&format!(r#"{{"merge_queue":{queue}}}"#));
        let rig = place.town.rig("web");
        let error = check_guards(&rig).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        assert!(error.contains("settings/config.json"), "{error}");
    }
}

#[test]
fn original_keys_and_keys_outside_the_merge_queue_do_not_stop_merges() {
    let place = town_with_settings(
        r#"{"zeta":1,"merge_queue":{"enabled":true,"on_conflict":"assign_back","poll_interval":"30s",
            "max_concurrent":1,"retry_flaky_tests":1,"integration_branches":true,"run_tests":true,
            "batch":{"max_batch_size":5},"delete_merged_branches":true,"target_branch":"main",
            "gates":{"test":{"timeout":"2m"}}}}"#,
    );
    let rig = place.town.rig("web");
    let town = r#"{"merge_queue":{"gates":{"test":{"cmd":"make test"}},"colour":"red"}}"#;
    std::fs::write(place.town.layout.settings(), town).unwrap();
    check_guards(&rig).unwrap();
    let layers = SettingsLayers::load(&place.town, Some(&rig)).unwrap();
    let faults = layers.find_faults(Some(&rig));
    let with_effect = |effect: FaultEffect| -> Vec<String> {
        let of_effect = faults.iter().filter(|fault| fault.effect == effect);
        of_effect.map(|fault| fault.error.to_string()).collect()
    };
    let [colour] = &with_effect(FaultEffect::Warning)[..] else {
        panic!("{faults:?}");
    };
    assert!(colour.contains("no setting merge_queue.colour"), "{colour}");
    let notes = with_effect(FaultEffect::Note);
    assert_eq!(notes.len(), 4, "{notes:?}");
    assert_eq!(
        RigSettings::load(&rig).unwrap().merge_queue.batch_limit(),
        5
    );
}

#[test]
fn each_settings_layer_overrides_the_lower_layers() {
    let mut place = town_with_settings("{}");
    let rig = place.town.rig("web");
    let name = "max_polecats";
    assert_eq!(
        read_value(&place, &rig, name),
        (json!(10), "built-in".to_owned())
    );
    set_value(&place, None, SettingsLayer::Settings, name, "8");
    assert_eq!(
        read_value(&place, &rig, name),
        (json!(8), "town".to_owned())
    );
    set_value(&place, Some(&rig), SettingsLayer::Settings, name, "7");
    assert_eq!(read_value(&place, &rig, name), (json!(7), "rig".to_owned()));
    add_rig_label(&place, "max_polecats:6");
    assert_eq!(
        read_value(&place, &rig, name),
        (json!(6), "bead".to_owned())
    );
    set_value(&place, Some(&rig), SettingsLayer::Local, name, "5");
    assert_eq!(
        read_value(&place, &rig, name),
        (json!(5), "local".to_owned())
    );
    assert_eq!(RigSettings::load(&rig).unwrap().max_polecats(), 5);
    let cwd = place.path_beside("town");
    place.town.env = kit::sys::Env::with_vars(&cwd, [("GT_MAX_POLECATS", "4")]);
    let rig = place.town.rig("web");
    assert_eq!(
        read_value(&place, &rig, name),
        (json!(4), "environment".to_owned())
    );
    assert_eq!(RigSettings::load(&rig).unwrap().max_polecats(), 4);
}

/// Adds a label to the rig's bead, as a clone or the sync branch would bring it.
fn add_rig_label(place: &TestTown, label: &str) {
    let store = place.town.rig("web").store().unwrap();
    let add = |tx: &mut bd::store::Tx| {
        let mut bead = tx.get("web-rig-web").cloned().unwrap();
        bead.labels.push(label.to_owned());
        Ok(tx.put(bead)?)
    };
    place.town.transact(&store, add).unwrap();
}

#[test]
fn labels_set_no_command_and_lower_no_guard() {
    let place = town_with_settings(r#"{"max_polecats":3,"merge_queue":{"require_review":true}}"#);
    let rig = place.town.rig("web");
    for label in [
        "merge_queue.test_command:touch /tmp/owned",
        "merge_queue.gates.x.cmd:touch /tmp/owned",
        "merge_queue.require_review:false",
        "role_agents.polecat:evil",
        "max_polecats:300",
        "namepool.style:rivers",
    ] {
        add_rig_label(&place, label);
    }
    let settings = RigSettings::load(&rig).unwrap();
    assert!(settings.gates(&rig).unwrap().is_empty());
    assert!(settings.review_reason().unwrap().contains("require_review"));
    assert_eq!(RigSettings::load(&rig).unwrap().max_polecats(), 3);
    assert_eq!(namepool_of(&rig).unwrap().style.as_deref(), Some("rivers"));
    let layers = SettingsLayers::load(&place.town, Some(&rig)).unwrap();
    assert_eq!(layers.ignored_labels().count(), 5);
}

#[test]
fn the_settings_that_labels_can_change_are_few() {
    let allowed: Vec<(&str, key::LabelEffect)> = key::all_keys()
        .iter()
        .filter(|key| key.labels != key::LabelEffect::None)
        .map(|key| (key.name, key.labels))
        .collect();
    assert_eq!(
        allowed,
        [
            ("context.budget.*", key::LabelEffect::Lower),
            ("max_polecats", key::LabelEffect::Lower),
            ("namepool.names", key::LabelEffect::Any),
            ("namepool.style", key::LabelEffect::Any),
            ("priority_adjustment", key::LabelEffect::Any),
        ]
    );
}

#[test]
fn the_values_of_a_sum_add_up_over_all_layers_unless_it_is_blocked() {
    let place = town_with_settings("{}");
    let rig = place.town.rig("web");
    let set = |rig, layer, value| {
        change_setting(&place.town, rig, layer, "priority_adjustment", Some(value)).unwrap();
    };
    set(None, SettingsLayer::Settings, "1");
    set(Some(&rig), SettingsLayer::Settings, "-4");
    set(Some(&rig), SettingsLayer::Local, "10");
    let read = || {
        let layers = SettingsLayers::load(&place.town, Some(&rig)).unwrap();
        let setting = layers.get("priority_adjustment").unwrap();
        (
            layers.sum("priority_adjustment"),
            setting.origin.to_string(),
        )
    };
    let (sum, origin) = read();
    assert_eq!(sum, 7);
    assert!(origin.starts_with("10 (local: "), "{origin}");
    assert!(
        origin.contains(" + -4 (rig: ") && origin.contains(" + 1 (town: "),
        "{origin}"
    );
    let path = place.town.layout.wisp_config("web");
    let text =
        r#"{"rig":"web","values":{"priority_adjustment":10},"blocked":["priority_adjustment"]}"#;
    std::fs::write(&path, text).unwrap();
    assert_eq!(read().0, 0);
}

#[test]
fn a_blocked_key_hides_values_of_lower_layers() {
    let place = town_with_settings(r#"{"namepool":{"style":"rivers"}}"#);
    let rig = place.town.rig("web");
    let path = place.town.layout.wisp_config("web");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let text = r#"{"rig":"web","values":{},"blocked":["namepool.style"],"mine":1}"#;
    std::fs::write(&path, text).unwrap();
    let (value, layer) = read_value(&place, &rig, "namepool.style");
    assert_eq!((value, layer.as_str()), (Value::Null, "blocked"));
    assert_eq!(namepool_of(&rig).unwrap().style, None);
    let refused = change_setting(
        &place.town,
        Some(&rig),
        SettingsLayer::Local,
        "namepool.style",
        Some("x"),
    );
    assert!(matches!(refused, Err(ChangeError::Blocked { .. })));
    change_setting(
        &place.town,
        Some(&rig),
        SettingsLayer::Local,
        "namepool.style",
        None,
    )
    .unwrap();
    assert_eq!(namepool_of(&rig).unwrap().style.as_deref(), Some("rivers"));
    assert!(std::fs::read_to_string(&path).unwrap().contains("mine"));
}

#[test]
fn a_change_is_validated_and_keeps_the_rest_of_the_file() {
    let place = town_with_settings(r#"{"zeta":[1],"merge_queue":{"x":2,"run_tests":true}}"#);
    let rig = place.town.rig("web");
    set_value(
        &place,
        Some(&rig),
        SettingsLayer::Settings,
        "merge_queue.run_tests",
        "no",
    );
    set_value(
        &place,
        Some(&rig),
        SettingsLayer::Settings,
        "merge_queue.gates.lint.cmd",
        "make lint",
    );
    let file: Value = serde_json::from_slice(&std::fs::read(rig.settings()).unwrap()).unwrap();
    assert_eq!(
        file,
        json!({"zeta": [1], "merge_queue": {"x": 2, "run_tests": false, "gates": {"lint": {"cmd": "make lint"}}}})
    );
    let refused = |layer, name: &str, text: &str| {
        change_setting(&place.town, Some(&rig), layer, name, Some(text)).unwrap_err()
    };
    let unknown = refused(SettingsLayer::Settings, "max_polecat", "1").to_string();
    assert!(unknown.contains("did you mean max_polecats?"), "{unknown}");
    let unset =
        |name: &str| change_setting(&place.town, Some(&rig), SettingsLayer::Settings, name, None);
    assert!(matches!(unset("nothing"), Err(ChangeError::Unknown { .. })));
    unset("zeta").unwrap();
    let file: Value = serde_json::from_slice(&std::fs::read(rig.settings()).unwrap()).unwrap();
    assert_eq!(file.get("zeta"), None);
    let bad = refused(SettingsLayer::Settings, "max_polecats", "many");
    assert!(matches!(bad, ChangeError::BadValue { .. }), "{bad}");
    let town = refused(SettingsLayer::Settings, "default_agent", "x");
    assert!(matches!(town, ChangeError::WrongPlace { .. }), "{town}");
    let files = refused(SettingsLayer::Local, "agent", "x");
    assert!(matches!(files, ChangeError::WrongPlace { .. }), "{files}");
}

#[test]
fn a_value_in_the_way_of_a_setting_stays_until_it_is_unset() {
    let text = r#"{"namepool":["ann","bob"],"merge_queue":{}}"#;
    let place = town_with_settings(text);
    let rig = place.town.rig("web");
    let layer = SettingsLayer::Settings;
    let change = |name, text| change_setting(&place.town, Some(&rig), layer, name, text);
    let refused = change("namepool.style", Some("rivers")).unwrap_err();
    assert!(matches!(refused, ChangeError::NoPlace(_)), "{refused}");
    assert_eq!(std::fs::read_to_string(rig.settings()).unwrap(), text);
    change("namepool.style", None).unwrap();
    change("merge_queue", None).unwrap_err();
    change("namepool", None).unwrap();
    change("namepool.style", Some("rivers")).unwrap();
}

#[test]
fn only_a_key_that_nothing_reads_can_be_unset_without_being_a_setting() {
    let text = r#"{"type":"rig-settings","version":1,"agents":{"x":{"command":"x"}},
        "merge_queue":{"x":2,"gates":{"lint":{"cmd":"l","cmdd":"m"}}},"role_agents":{"crew":"x"},
        "max_polecats_per_rig":2,"zeta":{"a":1},"operational":{"mail":{"x":1}}}"#;
    let place = town_with_settings(text);
    let rig = place.town.rig("web");
    std::fs::write(place.town.layout.settings(), text).unwrap();
    for rig in [Some(&rig), None] {
        let unset =
            |name: &str| change_setting(&place.town, rig, SettingsLayer::Settings, name, None);
        for name in [
            "type",
            "version",
            "agents",
            "agents.x",
            "agents.x.command",
            "merge_queue",
            "merge_queue.gates",
            "merge_queue.gates.lint",
            "role_agents",
            "max_polecats_per_rig",
            "merge_queu",
        ] {
            let error = unset(name).unwrap_err().to_string();
            assert!(!error.contains("did you mean"), "{error}");
        }
        for name in [
            "merge_queue.x",
            "merge_queue.gates.lint.cmdd",
            "zeta.a",
            "operational",
        ] {
            unset(name).unwrap();
        }
    }
    let file: Value = serde_json::from_slice(&std::fs::read(rig.settings()).unwrap()).unwrap();
    assert_eq!(
        file["merge_queue"],
        json!({"gates": {"lint": {"cmd": "l"}}})
    );
    assert_eq!(file["agents"], json!({"x": {"command": "x"}}));
}

#[test]
fn the_list_contains_all_keys_and_the_members_of_families() {
    let place = town_with_settings(r#"{"role_agents":{"crew":"claude"}}"#);
    let rig = place.town.rig("web");
    let all = SettingsLayers::load(&place.town, Some(&rig)).unwrap().all();
    let names: Vec<&str> = all.iter().map(|setting| setting.name.as_str()).collect();
    assert!(names.contains(&"role_agents.crew"), "{names:?}");
    assert!(names.contains(&"merge_queue.target_branch"), "{names:?}");
    assert!(!names.iter().any(|name| name.contains('*')), "{names:?}");
}

#[test]
fn every_setting_of_town_and_rig_that_names_an_agent_is_listed() {
    let text = r#"{"default_agent":"a","agent":"b","role_agents":{"crew":"c","x y":"d","e":""}}"#;
    let place = town_with_settings(text);
    std::fs::write(place.town.layout.settings(), text).unwrap();
    let rig = place.town.rig("web");
    let list = |rig: Option<&Rig>| {
        let layers = SettingsLayers::load(&place.town, rig).unwrap();
        let named = layers.list_named_agents().into_iter();
        let lines = named.map(|(key, agent)| {
            let command = command_to_name_agent(rig.map(|rig| rig.name()), &key);
            format!("{agent}: {command}")
        });
        lines.collect::<Vec<_>>()
    };
    assert_eq!(
        list(None),
        [
            "a: gt config set --town default_agent NAME",
            "c: gt config set --town role_agents.crew NAME",
            "d: gt config set --town 'role_agents.x y' NAME",
        ]
    );
    assert_eq!(
        list(Some(&rig))[..2],
        [
            "b: gt config set --rig web agent NAME",
            "c: gt config set --rig web role_agents.crew NAME",
        ]
    );
}

#[test]
fn settings_with_a_byte_order_mark_are_read() {
    let place = town_with_settings("\u{feff}{\"max_polecats\":3}");
    let rig = place.town.rig("web");
    assert_eq!(read_value(&place, &rig, "max_polecats").0, json!(3));
}

#[test]
fn a_damaged_settings_file_is_named() {
    let place = town_with_settings("{");
    let rig = place.town.rig("web");
    let error = SettingsLayers::load(&place.town, Some(&rig)).unwrap_err();
    assert!(
        error.to_string().contains("settings/config.json"),
        "{error}"
    );
}

#[test]
fn a_key_family_matches_exactly_one_part() {
    assert_eq!(
        key::find_key("role_agents.crew").unwrap().name,
        "role_agents.*"
    );
    assert_eq!(
        key::find_key("merge_queue.gates.lint.cmd").unwrap().kind,
        key::SettingKind::Text
    );
    for none in ["role_agents", "role_agents.", "role_agents.a.b", "nothing"] {
        assert!(key::find_key(none).is_none(), "{none}");
    }
}
