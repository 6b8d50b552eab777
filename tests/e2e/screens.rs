//! Whole screens: the pages that users look at most, at 80 and 120 columns, what the most used
//! commands print at 80, and the help of the most used commands.
//!
//! `INSTA_UPDATE=always cargo test -p town-tests --test e2e screens` rewrites the snapshots after a
//! change of words.

use serde_json::json;
use town_tests::{Repo, Run, Town, Worker};

/// The time at which beads are created and work is done.
const BEGIN: &str = "2026-01-05T09:00:00Z";

/// The time of every screen: an hour later.
const NOW: &str = "2026-01-05T10:00:00Z";

/// An empty place whose clock stands still.
fn place() -> Town {
    Town::place()
        .with_env("BD_NOW", BEGIN)
        .with_env("TZ", "UTC")
}

/// A town whose clock stands still, with a small plan in the rig `web` and one convoy.
fn town() -> Town {
    let town = place();
    town.install();
    town.add_rig("web", "web");
    town.script("while :; do sleep 1; done");
    plan(&town);
    town
}

/// Creates four beads and their convoy.
fn plan(town: &Town) {
    for (id, title, more) in [
        ("web-login", "Add the login form", &["-p", "1"][..]),
        (
            "web-api",
            "Serve the session endpoint",
            &["-p", "0", "-t", "feature"],
        ),
        (
            "web-docs",
            "Describe sign-in in the manual",
            &["-p", "3", "-l", "docs"],
        ),
        ("web-old", "Remove the password page", &["-t", "chore"]),
    ] {
        town.bd("web", ["create", title, "--id", id])
            .args(more.iter().copied())
            .ok();
    }
    town.bd("web", ["dep", "add", "web-login", "web-api"]).ok();
    town.bd("web", ["dep", "add", "web-docs", "web-login"]).ok();
    town.bd("web", ["close", "web-old", "-r", "No page links to it"])
        .ok();
    town.gt([
        "convoy",
        "create",
        "Sign-in",
        "web-api",
        "web-login",
        "web-docs",
    ])
    .ok();
}

/// Replaces what differs from run to run: random ids, temporary folders, commits, versions.
const REPLACED: [(&str, &str); 9] = [
    (r"hq-cv-[a-z0-9]+", "hq-cv-12345"),
    (r"\bhq-[a-z0-9]{3}\b", "hq-123"),
    (r"hq-wisp-[0-9a-f]{12}", "hq-wisp-xxxxxxxxxxxx"),
    (r"web-mr-[0-9a-f]{8}", "web-mr-12345678"),
    (r"web-(mol|wisp)-[a-z0-9]{3}\b", "web-$1-123"),
    (r"(polecat/[a-z]+/web-[a-z]+@)[a-z0-9]+", "${1}12345678"),
    (r"/tmp/gt-[A-Za-z0-9]+", "/tmp/gt-12345"),
    (r"\b[0-9a-f]{40}\b", "[commit]"),
    (r"\b[0-9a-f]{12}\b", "[commit-12]"),
];

/// Compares what a command prints with its snapshot, at a width. `more` is replaced first.
fn assert_width(name: &str, width: &str, run: Run, more: &[(&str, &str)]) {
    let screen = run.env("COLUMNS", width).run();
    let code = match screen.code {
        0 => String::new(),
        code => format!("[exit code {code}]\n"),
    };
    let text = format!("{}{}{code}", screen.out, screen.err);
    insta::with_settings!({
        prepend_module_to_snapshot => false,
        filters => [more, &REPLACED].concat(),
    }, {
        insta::assert_snapshot!(format!("{name}-{width}"), text);
    });
}

/// Compares a page at both widths.
fn assert_page(name: &str, show: impl Fn() -> Run) {
    for width in ["80", "120"] {
        assert_width(name, width, show(), &[]);
    }
}

/// Compares what a command prints at 80 columns.
fn assert_screen(name: &str, run: Run) {
    assert_width(name, "80", run, &[]);
}

/// Compares what a command prints at 80 columns in a town whose clock runs. `ids` are random ids of
/// the town, each with the text that stands for it.
pub(crate) fn assert_running_screen(name: &str, run: Run, ids: &[(&str, &str)]) {
    let ages = [
        (r"\b(just now|\d+[smh] ago)\b", "[ago]"),
        (r"\bpid (was )?\d+", "pid ${1}[pid]"),
    ];
    assert_width(name, "80", run, &[ids, &ages].concat());
}

#[test]
fn screens_of_beads_look_the_same() {
    let town = town();
    let bd = |args: &[&str]| town.bd("web", args.iter().copied()).env("BD_NOW", NOW);
    for (name, args) in [
        ("bd-list", &["list", "--all"][..]),
        ("bd-ready", &["ready"]),
        ("bd-show", &["show", "web-login"]),
        ("bd-graph", &["graph", "web-docs"]),
        ("bd-doctor", &["doctor"]),
    ] {
        assert_page(name, || bd(args));
    }
    assert_page("gt-doctor", || town.gt(["doctor"]));
    for (name, args) in [
        ("bd-blocked", &["blocked"][..]),
        ("bd-dep-tree", &["dep", "tree", "web-docs"]),
        ("bd-stats", &["stats"]),
        ("bd-search", &["search", "sign"]),
        ("bd-count", &["count", "--by-status"]),
        ("bd-graph-box", &["graph", "web-docs", "--box"]),
        ("bd-graph-svg", &["graph", "web-docs", "--svg"]),
        ("bd-label-list", &["label", "list", "web-docs"]),
        ("bd-sync", &["sync"]),
        ("bd-show-unknown", &["show", "web-none"]),
    ] {
        assert_screen(name, bd(args));
    }
    let changes = [
        (
            "bd-create",
            &["create", "Log out", "--id", "web-out", "-d", "A button"][..],
        ),
        ("bd-update", &["update", "web-out", "-s", "in_progress"]),
        (
            "bd-comments-add",
            &["comments", "add", "web-out", "See the wiki"],
        ),
        ("bd-comments", &["comments", "web-out"]),
        ("bd-close", &["close", "web-out", "-r", "Out of scope"]),
        ("bd-close-blocked", &["close", "web-docs"]),
        ("bd-reopen", &["reopen", "web-out"]),
        ("bd-dep-add-cycle", &["dep", "add", "web-api", "web-docs"]),
        ("bd-history", &["history", "web-out"]),
        ("bd-delete", &["delete", "web-out"]),
        (
            "bd-mol-pour",
            &["mol", "pour", "shiny", "--var", "feature=sign-in"],
        ),
    ];
    // Each change has a time of its own, because the history is sorted by it.
    for (minute, (name, args)) in changes.into_iter().enumerate() {
        let now = format!("2026-01-05T10:{minute:02}:00Z");
        assert_screen(name, bd(args).env("BD_NOW", now));
    }
}

#[test]
fn screens_of_a_town_look_the_same() {
    let town = town();
    let gt = |args: &[&str]| town.gt(args.iter().copied()).env("BD_NOW", NOW);
    let convoy = town.gt(["convoy", "list", "--json"]).ok().json();
    let convoy = convoy[0]["id"].as_str().unwrap();
    for width in ["30", "60", "100", "200"] {
        assert_width(
            "gt-convoy-graph",
            width,
            town.gt(["convoy", "graph", "1"]),
            &[],
        );
    }
    for (name, args) in [
        ("gt-status", &["status"][..]),
        ("gt-convoy-status", &["convoy", "status", convoy]),
        ("gt-convoy-list", &["convoy", "list"]),
        ("gt-why", &["why", "web-login"]),
        ("gt-feed", &["feed"]),
        ("gt-rig-list", &["rig", "list"]),
        ("gt-formula-list", &["formula", "list"]),
        ("gt-trail-beads", &["trail", "beads"]),
    ] {
        assert_page(name, || gt(args));
    }
    for (name, args) in [
        ("gt-rig-status", &["rig", "status", "web"][..]),
        ("gt-ready", &["ready"]),
        ("gt-formula-show", &["formula", "show", "mol-polecat-work"]),
        ("gt-role-list", &["role", "list"]),
        ("gt-deacon-status", &["deacon", "status"]),
        ("gt-daemon-status", &["daemon", "status"]),
        ("gt-hook-none", &["hook"]),
        ("gt-config-list", &["config", "list"]),
        ("gt-config-get", &["config", "get", "max_polecats"]),
        ("gt-config-set", &["config", "set", "max_polecats", "4"]),
        (
            "gt-config-set-refused",
            &["config", "set", "max_polecats", "many"],
        ),
        // The lists of a new town.
        ("gt-polecat-list-none", &["polecat", "list"]),
        ("gt-crew-list-none", &["crew", "list"]),
        ("gt-mail-inbox-none", &["mail", "inbox"]),
        ("gt-mq-list-none", &["mq", "list", "web"]),
        ("gt-escalate-list-none", &["escalate", "list"]),
        ("gt-seance-none", &["seance"]),
        ("gt-costs-none", &["costs"]),
        ("gt-trail-none", &["trail"]),
        ("gt-unknown-command", &["slign"]),
        ("gt-crew-add", &["crew", "add", "max", "--rig", "web"]),
        ("gt-crew-list", &["crew", "list"]),
        ("gt-dog-add", &["dog", "add", "rex"]),
        ("gt-dog-list", &["dog", "list"]),
        ("gt-account-add", &["account", "add", "work"]),
        ("gt-account-list", &["account", "list"]),
        ("gt-down", &["down"]),
    ] {
        assert_screen(name, gt(args));
    }
    for (name, role) in [
        ("gt-prime-mayor", "mayor"),
        ("gt-prime-deacon", "deacon"),
        ("gt-prime-witness", "web/witness"),
        ("gt-prime-refinery", "web/refinery"),
        ("gt-prime-crew", "web/crew/max"),
        ("gt-prime-dog", "deacon/dogs/rex"),
    ] {
        assert_screen(name, gt(&["prime"]).env("GT_ROLE", role));
    }
}

/// Slings the first bead of the plan to a worker that does nothing by itself.
fn sling_first(town: Town, origin: Repo) -> Worker {
    town.set_town_setting(
        "agents",
        json!({ "worker": { "command": "sleep", "args": ["600"], "prompt_mode": "none" } }),
    );
    assert_screen("gt-sling-blocked", town.gt(["sling", "web-login", "web"]));
    assert_screen(
        "gt-sling-dry-run",
        town.gt(["sling", "web-api", "web", "--dry-run"]),
    );
    assert_screen("gt-sling", town.gt(["sling", "web-api", "web"]));
    assert_screen("gt-sling-hooked", town.gt(["sling", "web-api", "web"]));
    let polecats = town.polecats();
    let name = format!("web/{}", polecats[0]["name"].as_str().unwrap());
    Worker {
        sandbox: town.sandbox(&name),
        bead: "web-api".to_owned(),
        name,
        town,
        origin,
    }
}

#[test]
fn screens_of_work_from_install_to_merge_look_the_same() {
    let town = place();
    let (home, root) = (town.path("home"), town.root());
    let install = ["install", root.to_str().unwrap()];
    assert_screen("gt-install", town.gt_at(&home, install));
    town.set_town_setting("default_agent", json!("worker"));
    let origin = town.origin("web");
    let add = ["rig", "add", "web", origin.url(), "--prefix", "web"];
    assert_screen("gt-rig-add", town.gt(add));
    plan(&town);
    let worker = sling_first(town, origin);
    let town = &worker.town;
    let gt = |args: &[&str]| town.gt(args.iter().copied()).env("BD_NOW", NOW);
    let worker_gt = |args: &[&str]| {
        let run = town.gt_as(&worker.name, args.iter().copied());
        run.env("BD_NOW", NOW)
    };
    for (name, args) in [
        ("gt-status-working", &["status"][..]),
        ("gt-convoy-status-working", &["convoy", "status"]),
    ] {
        assert_page(name, || gt(args));
    }
    for (name, args) in [
        ("gt-polecat-list", &["polecat", "list"][..]),
        ("gt-polecat-status", &["polecat", "status", &worker.name]),
        ("gt-session-list", &["session", "list"]),
        ("gt-scheduler-status", &["scheduler", "status"]),
        ("gt-why-working", &["why", "web-api"]),
        ("gt-why-queued", &["why", "web-login"]),
        (
            "gt-mail-send",
            &[
                "mail",
                "send",
                &worker.name,
                "-s",
                "Use cookies",
                "-m",
                "No tokens.",
            ],
        ),
    ] {
        assert_screen(name, gt(args));
    }
    for (name, args) in [
        ("gt-prime-polecat", &["prime"][..]),
        ("gt-hook", &["hook"]),
        ("gt-mol-status", &["mol", "status"]),
        ("gt-mail-inbox", &["mail", "inbox"]),
        ("gt-mail-read", &["mail", "read", "1"]),
        (
            "gt-escalate",
            &[
                "escalate",
                "Which colour?",
                "--decision",
                "--option",
                "red",
                "--option",
                "blue",
            ],
        ),
        ("gt-done-no-commit", &["done"]),
        ("gt-refused-to-workers", &["down"]),
    ] {
        assert_screen(name, worker_gt(args));
    }
    worker.commit("session.rs");
    assert_screen(
        "gt-done",
        worker
            .done(["--summary", "The endpoint is there"])
            .env("BD_NOW", "2026-01-05T09:29:30Z"),
    );
    let request = worker.requests()[0]["id"].as_str().unwrap().to_owned();
    for (name, args) in [
        ("gt-escalate-list", &["escalate", "list"][..]),
        ("gt-mq-list", &["mq", "list", "web"]),
        ("gt-mq-status", &["mq", "status", &request]),
        ("gt-mq-run", &["mq", "run", "web"]),
        ("gt-mq-stats", &["mq", "stats", "web"]),
        ("gt-why-merged", &["why", "web-api"]),
        ("gt-status-merged", &["status"]),
    ] {
        assert_screen(name, gt(args));
    }
    assert_screen(
        "bd-show-merged",
        town.bd("web", ["show", "web-api"]).env("BD_NOW", NOW),
    );
}

#[test]
fn helps_of_the_most_used_commands_look_the_same() {
    let town = Town::place();
    for (program, path) in [
        ("bd", &["create"][..]),
        ("bd", &["show"]),
        ("bd", &["update"]),
        ("bd", &["close"]),
        ("bd", &["list"]),
        ("bd", &["ready"]),
        ("gt", &["sling"]),
        ("gt", &["done"]),
        ("gt", &["prime"]),
        ("gt", &["status"]),
    ] {
        let name = format!("{program}-{}-help", path.join("-"));
        assert_page(&name, || {
            town.other_program(&town.path("bin").join(program), &town.path("home"))
                .args(path.iter().copied())
                .args(["--help"])
        });
    }
}

#[test]
fn the_short_help_shows_the_common_commands_by_task_and_all_shows_the_rest() {
    let town = Town::new();
    let short = town.gt(["--help"]).ok().out;
    assert!(short.contains("  Give work\n    sling "), "{short}");
    assert!(!short.contains("scripted"), "{short}");
    for args in [&["help", "--all"][..], &["--help", "--all"]] {
        let all = town.gt(args.iter().copied()).ok().out;
        assert!(all.contains("scripted"), "{all}");
    }
    let bare = town.gt([]).run();
    assert_eq!((bare.code, bare.out.as_str()), (2, ""));
    assert!(bare.err.contains("Give work"), "{}", bare.err);
    let sling = town.gt(["help", "sling"]).ok().out;
    assert!(sling.contains("--dry-run"), "{sling}");
}
