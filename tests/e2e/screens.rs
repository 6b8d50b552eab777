//! Whole screens at 80 and 120 columns: the pages that users look at most, and the help of the most
//! used commands.
//!
//! `INSTA_UPDATE=always cargo test -p town-tests --test e2e screens` rewrites the snapshots after a
//! change of words.

use town_tests::Town;

const WIDTHS: [&str; 2] = ["80", "120"];

/// The time of every screen: an hour after the beads were created.
const NOW: &str = "2026-01-05T10:00:00Z";

/// A town whose clock stands still, with a small plan in the rig `web`, one worker and one convoy.
fn town() -> Town {
    let town = Town::new()
        .with_env("BD_NOW", "2026-01-05T09:00:00Z")
        .with_env("TZ", "UTC");
    town.add_rig("web", "web");
    town.script("while :; do sleep 1; done");
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
    town
}

/// Compares a screen at both widths with its snapshot, ids and places of this run replaced.
fn assert_screen(name: &str, show: impl Fn(&str) -> town_tests::Said) {
    for width in WIDTHS {
        let screen = show(width);
        let text = format!("{}{}", screen.out, screen.err);
        insta::with_settings!({
            prepend_module_to_snapshot => false,
            filters => vec![
                (r"hq-cv-[a-z0-9]+", "hq-cv-12345"),
                (r"/tmp/gt-[A-Za-z0-9]+", "/tmp/gt-12345"),
                (r"\b[0-9a-f]{40}\b", "[commit]"),
            ],
        }, {
            insta::assert_snapshot!(format!("{name}-{width}"), text);
        });
    }
}

#[test]
fn screens_of_beads_look_the_same() {
    let town = town();
    for (name, args) in [
        ("bd-list", &["list", "--all"][..]),
        ("bd-ready", &["ready"]),
        ("bd-show", &["show", "web-login"]),
        ("bd-graph", &["graph", "web-docs"]),
    ] {
        assert_screen(name, |width| {
            town.bd("web", args.iter().copied())
                .env("COLUMNS", width)
                .env("BD_NOW", NOW)
                .ok()
        });
    }
}

#[test]
fn screens_of_a_town_look_the_same() {
    let town = town();
    let convoy = town.gt(["convoy", "list", "--json"]).ok().json();
    let convoy = convoy[0]["id"].as_str().unwrap().to_owned();
    for (name, args) in [
        ("gt-status", &["status"][..]),
        ("gt-convoy-status", &["convoy", "status", &convoy]),
        ("gt-why", &["why", "web-login"]),
        ("gt-feed", &["feed"]),
    ] {
        assert_screen(name, |width| {
            town.gt(args.iter().copied())
                .env("COLUMNS", width)
                .env("BD_NOW", NOW)
                .ok()
        });
    }
}

#[test]
fn screens_of_the_doctors_look_the_same() {
    let town = town();
    assert_screen("bd-doctor", |width| {
        town.bd("web", ["doctor"]).env("COLUMNS", width).run()
    });
    assert_screen("gt-doctor", |width| {
        town.gt(["doctor"]).env("COLUMNS", width).run()
    });
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
        assert_screen(&name, |width| {
            town.other_program(&town.path("bin").join(program), &town.path("home"))
                .args(path.iter().copied())
                .args(["--help"])
                .env("COLUMNS", width)
                .ok()
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
