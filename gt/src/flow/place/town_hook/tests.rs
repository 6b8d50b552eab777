use std::os::unix::fs::PermissionsExt;

use std::path::Path;

use super::*;
use crate::testing::TestTown;

/// Writes a hook file.
fn write_hook(path: &Path, body: &str, mode: u32) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn empty_call<'a>() -> TownHookCall<'a> {
    TownHookCall {
        convoy: "C; rm -rf ~ $(touch /tmp/never)".to_owned(),
        spec: "A spec\nof two lines".to_owned(),
        issues: vec!["web-1".to_owned(), "web-2".to_owned()],
        ..TownHookCall::default()
    }
}

#[test]
fn without_a_hook_nothing_is_run_or_reported() {
    let place = TestTown::new();
    let report = run_event_hooks(&place.town, TownHookEvent::PreConvoy, &empty_call());
    assert!(report.runs.is_empty() && report.warnings.is_empty());
    assert!(!has_event_hooks(
        &place.town.layout,
        None,
        TownHookEvent::PreConvoy
    ));
    assert!(
        crate::town::event::read_events(&place.town.layout)
            .unwrap()
            .is_empty()
    );
}

#[test]
fn a_hook_gets_the_five_variables_and_its_run_is_an_event() {
    let place = TestTown::new();
    let town = &place.town;
    let body = "cat >/dev/null; printf '%s|' \"$GT_CONVOY_NAME\" \"$GT_CONVOY_SPEC\" \"$GT_CONVOY_ISSUES\" \
        \"$GT_RIG_ROOT\" \"${KEEPER_MODE-unset}\" \"$PWD\"; cat \"$GT_CONVOY_SPEC_FILE\"";
    write_hook(&town.layout.hooks().join("pre-convoy"), body, 0o755);
    let report = run_event_hooks(town, TownHookEvent::PreConvoy, &empty_call());
    let root = town.layout.root().display();
    assert_eq!(
        report.runs[0].output,
        format!(
            "C; rm -rf ~ $(touch /tmp/never)|A spec\nof two lines|web-1\nweb-2|{root}||{root}|A spec\nof two lines"
        )
    );
    assert_eq!(report.runs[0].verdict, TownHookVerdict::Approved);
    assert_eq!(report.warnings.len(), 1, "it printed no result");
    let events = crate::town::event::read_events(&town.layout).unwrap();
    assert_eq!(events[0].kind, "hook_run");
    assert_eq!(events[0].payload["outcome"], "approved");
    assert_eq!(events[0].payload["saw"]["exit"], 0);
}

#[test]
fn a_file_that_is_not_executable_is_skipped_with_a_warning() {
    let place = TestTown::new();
    let town = &place.town;
    write_hook(&town.layout.hooks().join("pre-convoy"), "exit 1", 0o644);
    let report = run_event_hooks(town, TownHookEvent::PreConvoy, &empty_call());
    assert!(report.runs.is_empty());
    assert!(
        report.warnings[0].contains("not executable"),
        "{:?}",
        report.warnings
    );
}

#[test]
fn a_symlink_out_of_the_town_is_refused() {
    let place = TestTown::new();
    let town = &place.town;
    let outside = place.path_beside("outside/pre-convoy");
    write_hook(&outside, "exit 0", 0o755);
    std::fs::create_dir_all(town.layout.hooks()).unwrap();
    std::os::unix::fs::symlink(&outside, town.layout.hooks().join("pre-convoy")).unwrap();
    let report = run_event_hooks(town, TownHookEvent::PreConvoy, &empty_call());
    let refusal = report.refusal().unwrap();
    assert_eq!(refusal.verdict, TownHookVerdict::Broken);
    assert!(refusal.reason.contains("leads out"), "{}", refusal.reason);
    std::fs::remove_dir_all(town.layout.hooks()).unwrap();
    std::os::unix::fs::symlink(outside.parent().unwrap(), town.layout.hooks()).unwrap();
    let report = run_event_hooks(town, TownHookEvent::PreConvoy, &empty_call());
    assert_eq!(
        report.refusal().unwrap().verdict,
        TownHookVerdict::Broken,
        "a linked folder"
    );
}

#[test]
fn hanging_crashing_and_flooding_hooks_are_stopped_and_reported() {
    let place = TestTown::new();
    let town = &place.town;
    let path = town.layout.hooks().join("pre-convoy");
    std::fs::write(town.layout.settings(), r#"{"hooks": {"timeout": "1s"}}"#).unwrap();
    for (body, words) in [
        ("sleep 600 & sleep 600", "did not finish within 1s"),
        ("kill -SEGV $$", "ended by a signal"),
        (
            "head -c 10000000 /dev/zero | tr '\\0' 'x'",
            "more than 64 KiB",
        ),
        ("head -c 3000 /dev/urandom; printf '\\377'", "no text"),
        ("echo 'keeper_result: ['", "cannot be read"),
    ] {
        write_hook(&path, body, 0o755);
        let report = run_event_hooks(town, TownHookEvent::PreConvoy, &empty_call());
        let refusal = report.refusal().unwrap();
        assert_eq!(refusal.verdict, TownHookVerdict::Broken, "{body}");
        assert!(refusal.reason.contains(words), "{body}: {}", refusal.reason);
    }
    std::fs::write(&path, "#!/no/such/interpreter\n").unwrap();
    let report = run_event_hooks(town, TownHookEvent::PreConvoy, &empty_call());
    assert_eq!(report.refusal().unwrap().verdict, TownHookVerdict::Broken);
}

#[test]
fn the_first_hook_that_does_not_approve_is_the_last_to_run() {
    let place = TestTown::new();
    let town = &place.town;
    let url = place.create_origin(&[("a", "b")]);
    place.add_rig("web", Some(&url)).unwrap();
    let rig = town.rig("web");
    write_hook(
        &town.layout.hooks().join("pre-convoy"),
        "echo no >&2; exit 7",
        0o755,
    );
    write_hook(&rig.hooks().join("pre-convoy"), "touch ran", 0o755);
    let call = TownHookCall {
        rig: Some(&rig),
        ..empty_call()
    };
    let report = run_event_hooks(town, TownHookEvent::PreConvoy, &call);
    assert_eq!(
        (report.runs.len(), report.runs[0].reason.as_str()),
        (1, "no")
    );
    assert!(!rig.root().join("ran").exists());
    write_hook(&town.layout.hooks().join("pre-convoy"), "exit 0", 0o755);
    assert_eq!(
        run_event_hooks(town, TownHookEvent::PreConvoy, &call)
            .runs
            .len(),
        2
    );
    assert!(
        rig.root().join("ran").exists(),
        "the rig's root is where it runs"
    );
}
