//! The keeper plugin: `gt keeper`, its hooks, its decisions, and that nothing is left when it is
//! gone.

use serde_json::{Value, json};
use town_tests::{Repo, Town, count, eventually};

/// A town with a rig `web` whose repository has a few patterns.
fn place() -> (Town, Repo) {
    let town = Town::new();
    let origin = town.origin("web");
    origin.commit_many(&[
        ("src/Modal.tsx", "export function Modal() {}\n"),
        ("src/Button.tsx", "export const Button = styled.button``\n"),
        (
            "src/auth.ts",
            "export class AuthService {}\nexport enum Tier {\n  Free,\n  Pro,\n}\n",
        ),
    ]);
    town.gt(["rig", "add", "web", origin.url(), "--prefix", "web"])
        .ok();
    (town, origin)
}

/// The same, with the keeper at work.
pub(crate) fn planted() -> (Town, Repo) {
    let (town, origin) = place();
    keeper(&town, &["install"]).ok();
    keeper(&town, &["plant"]).ok();
    (town, origin)
}

fn keeper(town: &Town, args: &[&str]) -> town_tests::Run {
    let all = ["keeper"].iter().chain(args).copied();
    town.gt_at(&town.root().join("web"), all)
}

fn create(town: &Town, name: &str, beads: &[&String], spec: &str) -> town_tests::Said {
    let mut args = vec!["convoy", "create", name];
    args.extend(beads.iter().map(|bead| bead.as_str()));
    args.extend(["--spec", spec, "--json"]);
    town.gt(args).run()
}

fn description(town: &Town, id: &str) -> String {
    town.show("web", id)["description"]
        .as_str()
        .unwrap()
        .to_owned()
}

const SPEC: &str = "Add user profile modal with logout button";

#[test]
fn a_convoy_is_reviewed_automatically_and_its_beads_name_the_decision() {
    let (town, _origin) = planted();
    let seeds =
        std::fs::read_to_string(town.root().join("web/keeper/seeds/frontend.yaml")).unwrap();
    assert!(
        seeds.contains("name: Modal") && seeds.contains("path: src/Button.tsx"),
        "{seeds}"
    );
    let (one, two) = (town.bead("web", "One"), town.bead("web", "Two"));
    let said = create(&town, "User profile", &[&one, &two], SPEC);
    assert_eq!(said.code, 0, "{}", said.err);
    for (id, text) in [(&one, "Do: One"), (&two, "Do: Two")] {
        assert_eq!(
            description(&town, id),
            format!("---\nkeeper: ADR-001\n---\n{text}")
        );
    }
    let shown = keeper(&town, &["show", "ADR-001"]).ok().out;
    for words in [
        "status: approved",
        "target: Modal",
        "new modal components",
        "frontend: keeper/seeds/frontend.yaml",
    ] {
        assert!(shown.contains(words), "`{words}` is not in {shown}");
    }
    let listed = keeper(&town, &["list", "--json"]).ok().json();
    assert_eq!(listed[0]["id"], "ADR-001");
    let explained = keeper(&town, &["explain", "ADR-001", "auth-reuse"]).ok();
    assert!(
        explained.out.contains("existing auth services"),
        "{}",
        explained.out
    );
    assert_eq!(keeper(&town, &["explain", "auth-resuse"]).run().code, 1);
}

#[test]
fn new_elements_wait_for_the_user_in_growth_and_fail_in_conservation() {
    let (town, _origin) = planted();
    let bead = town.bead("web", "One");
    let said = create(&town, "Side", &[&bead], "Add a sidebar");
    assert_eq!(said.code, 3, "{}", said.err);
    assert!(said.err.contains("sidebar"), "{}", said.err);
    let waiting = town.gt(["convoy", "review", "list", "--json"]).ok().json();
    let request = waiting[0]["id"].as_str().unwrap();
    // The request reaches the overseer's inbox once, and `gt status` shows it.
    town.patrol();
    town.patrol();
    let mail = town.mail("overseer");
    let about = mail.iter().filter(|one| {
        one["subject"]
            .as_str()
            .unwrap()
            .contains("waits for your review")
    });
    assert_eq!(about.count(), 1, "{mail:?}");
    let status = town.gt(["status"]).ok().out;
    assert!(
        status.contains(&format!("gt convoy review approve {request}")),
        "{status}"
    );
    town.gt(["convoy", "review", "approve", request]).ok();
    assert!(description(&town, &bead).starts_with("---\nkeeper: ADR-001\n"));
    let shown = keeper(&town, &["show", "ADR-001"]).ok().out;
    assert!(
        shown.contains("status: approved") && shown.contains("allow: [sidebar]"),
        "{shown}"
    );
    town.set_town_setting("hooks", json!({ "keeper_mode": "conservation" }));
    let other = town.bead("web", "Other");
    let said = create(&town, "Menu", &[&other], "Add a settings menu");
    assert_eq!(said.code, 1, "{}", said.err);
    assert!(said.err.contains("settings menu"), "{}", said.err);
    assert_eq!(description(&town, &other), "Do: Other");
    let args = [
        "convoy",
        "create",
        "Menu",
        other.as_str(),
        "--spec",
        "Add a settings menu",
    ];
    town.gt(args).env("KEEPER_MODE", "seeding").ok();
    assert!(description(&town, &other).contains("keeper: ADR-002"));
}

#[test]
fn the_vault_is_read_from_the_target_as_fetched() {
    let (town, origin) = place();
    keeper(&town, &["install"]).ok();
    // Without seeds nothing is known, so a person decides.
    let bead = town.bead("web", "One");
    let deferred = create(&town, "One", &[&bead], SPEC);
    assert_eq!(deferred.code, 3, "{}", deferred.err);
    assert!(deferred.err.contains("has no seeds"), "{}", deferred.err);
    // Seeds that come with the repository count once they are fetched.
    let auth = "seeds:\n  - {name: AuthService, kind: service, methods: [login, logout]}\n";
    let frontend =
        "seeds:\n  - {name: Modal, kind: component}\n  - {name: Button, kind: component}\n";
    origin.commit_many(&[
        ("keeper/seeds/auth.yaml", auth),
        ("keeper/seeds/frontend.yaml", frontend),
        ("src/later.ts", "export class LaterService {}\n"),
    ]);
    let other = town.bead("web", "Other");
    town.script("while :; do sleep 1; done");
    town.sling(&town.bead("web", "Fetches"));
    let approved = create(&town, "Two", &[&other], SPEC);
    assert_eq!(approved.code, 0, "{}", approved.err);
    let shown = keeper(&town, &["show", "ADR-002"]).ok().out;
    assert!(shown.contains("auth: [AuthService.logout]"), "{shown}");
    // So does source that is planted.
    keeper(&town, &["plant"]).ok();
    let planted = std::fs::read_to_string(town.root().join("web/keeper/seeds/backend.yaml"));
    assert!(planted.unwrap().contains("LaterService"));
    // A key that means nothing is reported.
    let path = town.root().join("web/keeper/seeds/typo.yaml");
    std::fs::write(path, "seed:\n  - {name: Grid, kind: component}\n").unwrap();
    let third = town.bead("web", "Third");
    let deferred = create(&town, "Three", &[&third], SPEC);
    assert_eq!(deferred.code, 3, "{}", deferred.err);
    assert!(
        deferred.err.contains("unknown keys: `seed` in"),
        "{}",
        deferred.err
    );
}

#[test]
fn convoys_created_concurrently_get_distinct_decision_numbers() {
    let (town, _origin) = planted();
    let beads: Vec<String> = (0..8)
        .map(|at| town.bead("web", &format!("B{at}")))
        .collect();
    std::thread::scope(|scope| {
        for bead in &beads {
            let town = &town;
            scope.spawn(move || {
                let said = create(town, "At once", &[bead], SPEC);
                assert_eq!(said.code, 0, "{}", said.err);
            });
        }
    });
    let mut fronts: Vec<String> = beads
        .iter()
        .map(|bead| description(&town, bead).lines().nth(1).unwrap().to_owned())
        .collect();
    fronts.sort();
    fronts.dedup();
    assert_eq!(fronts.len(), 8, "{fronts:?}");
}

/// Lets a worker do a bead and hand it in.
fn worked(town: &Town, bead: &str) {
    town.gt(["sling", bead, "web"]).ok();
    eventually("the work is handed in", || {
        (town.status_of("web", bead) == "in_progress").then_some(())
    });
}

fn queue(town: &Town) -> Value {
    town.gt(["mq", "run", "web", "--json"]).ok().json()[0].clone()
}

#[test]
fn a_merge_that_breaks_a_rule_is_blocked_until_it_is_waived() {
    let (town, origin) = planted();
    town.script(
        "printf 'import x\\nexport function ProfileModal() {}\\n' > src/ProfileModal.tsx\n\
         sed -i 's/  Free,/  Team,\\n  Free,/' src/auth.ts",
    );
    let bead = town.bead("web", "Profile");
    let spec = format!("{SPEC} and the Tier enum");
    assert_eq!(create(&town, "Profile", &[&bead], &spec).code, 0);
    worked(&town, &bead);
    let stopped = queue(&town);
    assert_eq!(stopped["outcome"], "gate_failed", "{stopped}");
    let task = town.show("web", stopped["task"].as_str().unwrap());
    let text = task["description"].as_str().unwrap();
    for words in [
        "src/ProfileModal.tsx:2: rule \"new modal components\" of ADR-001",
        "src/auth.ts:3: rule \"data-append\" of ADR-001",
    ] {
        assert!(text.contains(words), "`{words}` is not in {text}");
    }
    assert!(origin.subjects("main").len() == 1, "nothing is merged");
    // The keeper's own waivers are for one rule each, and are said each time.
    for rule in ["new modal components", "ui-extend"] {
        keeper(&town, &["waive", "ADR-001", rule, "--reason", "agreed"]).ok();
    }
    let args = [
        "waive",
        "ADR-001",
        "data-append",
        "--reason",
        "nobody stores it",
    ];
    keeper(&town, &args).args(["--file", "src/auth.ts"]).ok();
    town.bd("web", ["close", task["id"].as_str().unwrap()]).ok();
    assert_eq!(queue(&town)["outcome"], "merged");
    assert_eq!(town.status_of("web", &bead), "closed");
    let kept = std::fs::read_dir(town.root().join("web/keeper/waivers")).unwrap();
    assert!(kept.count() >= 3);
}

#[test]
fn an_override_applies_only_to_its_own_bead() {
    let (town, _origin) = planted();
    town.script("printf 'export enum Plan { A }\\n' > \"src/$GT_BEAD.ts\"");
    let front = "---\noverride:\n  allow: [new-enum]\n---\nAdd the enum.";
    let with = town
        .bd("web", ["create", "With", "--silent", "-d", front])
        .ok();
    let (with, without) = (with.text().to_owned(), town.bead("web", "Without"));
    let args = ["convoy", "create", "Plans", &with, &without, "--spec", SPEC];
    town.gt(args).ok();
    assert_eq!(
        description(&town, &with),
        "---\nkeeper: ADR-001\noverride:\n  allow: [new-enum]\n---\nAdd the enum."
    );
    assert_eq!(
        description(&town, &without),
        "---\nkeeper: ADR-001\n---\nDo: Without"
    );
    let file = town.root().join("web/keeper/decisions/001-plan.yaml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(
        &file,
        text.replace("forbidden:", "forbidden: [new enums]\n  was_forbidden:"),
    )
    .unwrap();
    worked(&town, &with);
    assert_eq!(queue(&town)["outcome"], "merged");
    // An override that a worker adds later has no effect.
    let late = "---\nkeeper: ADR-001\noverride:\n  allow: [new-enum]\n---\nDo: Without";
    town.bd("web", ["update", &without, "-d", late]).ok();
    worked(&town, &without);
    assert_eq!(queue(&town)["outcome"], "gate_failed");
}

#[test]
fn an_unreadable_decision_waits_for_the_user() {
    let (town, origin) = planted();
    town.script("echo x > x.txt");
    let bead = town.bead("web", "X");
    create(&town, "X", &[&bead], SPEC);
    std::fs::remove_dir_all(town.root().join("web/keeper/decisions")).unwrap();
    worked(&town, &bead);
    let stopped = queue(&town);
    assert_eq!(stopped["outcome"], "needs_person", "{stopped}");
    assert_eq!(origin.subjects("main").len(), 1);
    let request = stopped["request"].as_str().unwrap();
    town.gt(["mq", "waive", request, "--reason", "the decision is lost"])
        .ok();
    assert_eq!(queue(&town)["outcome"], "merged");
}

#[test]
fn removing_the_keeper_restores_the_original_behavior() {
    let story = |town: &Town| {
        town.script("echo w > \"$GT_BEAD.tsx\"; echo 'export function NewModal() {}' >> a.tsx");
        let bead = town.bead("web", "Work");
        let made = create(town, "C", &[&bead], "Add a sidebar and a new modal");
        let made: Value = serde_json::from_str(&made.out).unwrap();
        worked(town, &bead);
        let merged = queue(town);
        let convoy = town.show(".", made["id"].as_str().unwrap());
        assert_eq!(convoy["status"], "closed", "it has landed");
        let keys = |value: &Value| {
            value
                .as_object()
                .unwrap()
                .keys()
                .cloned()
                .collect::<Vec<_>>()
        };
        let text = description(town, &bead).replace(&bead, "ID");
        // When it was dispatched is not of interest.
        let text = text
            .lines()
            .filter(|line| !line.starts_with("dispatched"))
            .collect::<String>();
        (
            keys(&made),
            keys(&merged),
            keys(&convoy),
            text,
            town.events("hook_run").len(),
        )
    };
    let never = story(&place().0);
    let (town, _origin) = planted();
    keeper(&town, &["uninstall"]).ok();
    let gone = story(&town);
    assert_eq!(never, gone);
    assert_eq!(gone.4, 0);
    std::fs::remove_dir_all(town.root().join("web/keeper")).unwrap();
    assert_eq!(story(&town), never);
    let program = town.path("bin/gt-keeper");
    std::fs::remove_file(program).unwrap();
    assert_eq!(town.gt(["keeper", "list"]).run().code, 2);
}

/// Tokens as a real model counts them (cl100k).
pub(crate) fn tokens(text: &str) -> usize {
    tiktoken_rs::cl100k_base_singleton()
        .encode_ordinary(text)
        .len()
}

/// What a session that does all beads one after the other is told, or one session per bead, in
/// tokens, and what each bead's front matter has.
fn told(town: &Town, beads: &[String], one_session: bool) -> (usize, usize) {
    let home = town.root().join("web/crew/max");
    std::fs::create_dir_all(&home).unwrap();
    let (mut all, mut front) = (0, 0);
    for bead in beads {
        let session = if one_session { "s" } else { bead };
        let event = json!({ "hook_event_name": "SessionStart", "session_id": session, "source": "startup" });
        let text = description(town, bead);
        front = front.max(tokens(text.strip_suffix("Do: Bead").unwrap()));
        let held = [
            "update",
            bead,
            "--status",
            "hooked",
            "--assignee",
            "web/crew/max",
        ];
        town.bd("web", held).ok();
        let run = town
            .gt_at(&home, ["prime", "--hook"])
            .env("GT_ROLE", "web/crew/max");
        let text = run.input(&event.to_string()).ok().out;
        // Names that differ from run to run have other numbers of tokens.
        let root = town.path("");
        let text = text
            .replace(root.to_str().unwrap(), "/")
            .replace(bead.as_str(), "web-k3f");
        all += tokens(&text);
        town.bd("web", ["update", bead, "--status", "deferred"])
            .ok();
    }
    (all, front)
}

/// How many tokens the keeper costs the sessions that do so many beads, and the front matter of
/// each.
fn difference(count: usize, one_session: bool) -> (usize, usize) {
    let said = |with: bool| {
        let (town, _origin) = if with { planted() } else { place() };
        let file = town.path("beads.md");
        let text: String = (0..count).map(|_| "## Bead\n\nDo: Bead\n\n").collect();
        std::fs::write(&file, text).unwrap();
        let made = town
            .bd(
                "web",
                ["create", "--file", file.to_str().unwrap(), "--json"],
            )
            .ok()
            .json();
        let beads: Vec<String> = made
            .as_array()
            .unwrap()
            .iter()
            .map(|bead| bead["id"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(beads.len(), count);
        let all: Vec<&String> = beads.iter().collect();
        assert_eq!(create(&town, "User profile", &all, SPEC).code, 0);
        told(&town, &beads, one_session)
    };
    let (with, front) = said(true);
    let (without, none) = said(false);
    assert!(with > without + 50, "the decision is told");
    assert!(front > 0 && front <= 45 && none == 0, "{front}");
    (with - without, front)
}

/// The same for one session that does all of them.
fn overhead(count: usize) -> (usize, usize) {
    let (tokens, front) = difference(count, true);
    assert!(tokens < 1000, "{count} beads: {tokens}");
    // As docs/CONTEXT.md says, but for a fifth: names of folders differ.
    let lines = include_str!("../../docs/CONTEXT.md").split_whitespace();
    let page = lines.collect::<Vec<_>>().join(" ");
    let number = |before: &str, after: &str| -> usize {
        let rest = page.split(before).nth(1).unwrap();
        rest.split(after).next().unwrap().parse().unwrap()
    };
    let said = number("one after the other gets ", " tokens more");
    assert!(said.abs_diff(tokens) * 5 <= said, "{count} beads: {tokens}");
    assert_eq!(front, number("the front matter of a bead ", "."));
    (tokens, front)
}

#[test]
fn the_keeper_costs_under_1000_tokens_for_5_beads() {
    println!(
        "5 beads, tokens of all and of a front matter: {:?}",
        overhead(5)
    );
}

#[test]
fn the_keeper_costs_under_1000_tokens_for_many_beads() {
    let beads = count(20, 100);
    println!(
        "{beads} beads, tokens of all and of a front matter: {:?}",
        overhead(beads)
    );
}

#[test]
fn the_keeper_costs_every_session_the_same_with_one_bead_each() {
    for beads in count(vec![5], vec![5, 100]) {
        let (tokens, _) = difference(beads, false);
        println!("{beads} beads, a session each: {tokens} tokens");
        // As docs/KEEPER.md says, but for a fifth: names of folders differ.
        let each = tokens / beads;
        assert!(each.abs_diff(130) * 5 <= 130, "{beads} beads: {tokens}");
    }
}

#[test]
fn twelve_beads_with_the_keeper_land_once_and_see_the_decision_once() {
    let (town, origin) = planted();
    town.script(
        "cp \"$GT_PRIME_FILE\" \"$GT_ROOT/../scripts/prime-$GT_BEAD\"\necho \"$GT_BEAD_TITLE\" > \"$GT_BEAD.txt\"\n\
         echo \"wrote $GT_BEAD.txt\" > \"$GT_SUMMARY_FILE\"\n\
         ls .gt/discovery 2>&- | wc -l > \"$GT_ROOT/../scripts/documents-$GT_BEAD\"\n\
         mkdir -p .gt/discovery; echo found > \".gt/discovery/$GT_BEAD.md\"",
    );
    let mut beads: Vec<String> = Vec::new();
    for at in 0..12 {
        let title = format!("Step {at}");
        let before = beads.last().cloned();
        let more: Vec<&str> = before
            .iter()
            .flat_map(|id| ["--deps", id.as_str()])
            .collect();
        beads.push(town.bead_with("web", &title, &more));
    }
    let all: Vec<&String> = beads.iter().collect();
    let made = create(&town, "Twelve", &all, SPEC);
    assert_eq!(made.code, 0, "{}", made.err);
    town.up();
    let mut sling = vec!["sling"];
    sling.extend(beads.iter().map(String::as_str));
    sling.push("web");
    town.gt(sling).ok();
    for bead in &beads {
        town.closed("web", bead);
    }
    town.told_once("convoy_landed");
    assert_eq!(origin.subjects("main").len(), 13);
    let landed = origin.git(["ls-tree", "-r", "--name-only", "main"]);
    assert!(
        !landed.contains(".gt/") && landed.contains(&beads[11]),
        "{landed}"
    );
    for (at, bead) in beads.iter().enumerate() {
        let documents = town.path(&format!("scripts/documents-{bead}"));
        let documents = std::fs::read_to_string(documents).unwrap();
        assert_eq!(documents.trim(), at.to_string(), "documents of bead {at}");
        let prime = std::fs::read_to_string(town.path(&format!("scripts/prime-{bead}"))).unwrap();
        let prime: Value = serde_json::from_str(&prime).unwrap();
        let text = prime["text"].as_str().unwrap();
        assert_eq!(
            text.matches("ADR-001").count(),
            2,
            "heading and first line: {text}"
        );
        assert_eq!(text.matches("Forbidden: ").count(), 1, "{text}");
        // Beyond ten those that are not shown in full are in the overview.
        let prior = (0..12).filter(|old| text.contains(&format!("wrote {}.txt", beads[*old])));
        assert_eq!(prior.count(), at, "bead {at}: {text}");
    }
}

/// A town whose repository has the patterns of the design's example, planted.
fn with_example() -> Town {
    let town = Town::new();
    let origin = town.origin("web");
    origin.commit_many(&[
        ("src/Modal.tsx", "export function Modal() {}\n"),
        (
            "src/Button.tsx",
            "type Props = { variant?: 'primary' | 'secondary' }\nexport const Button = (p: Props) => null\n",
        ),
        (
            "src/user.ts",
            "export class UserService {\n  async getProfile(id: string) {\n    return id\n  }\n}\n",
        ),
        (
            "src/auth.ts",
            "export class AuthService {\n  login() {\n  }\n  logout() {\n  }\n}\n",
        ),
    ]);
    town.gt(["rig", "add", "web", origin.url(), "--prefix", "web"])
        .ok();
    keeper(&town, &["install"]).ok();
    keeper(&town, &["plant"]).ok();
    town
}

#[test]
fn the_design_example_is_approved_by_reuse_in_every_mode() {
    let town = with_example();
    let seeds = |domain: &str| {
        let path = town.root().join(format!("web/keeper/seeds/{domain}.yaml"));
        std::fs::read_to_string(path).unwrap()
    };
    assert!(
        seeds("backend").contains("getProfile"),
        "{}",
        seeds("backend")
    );
    assert!(
        seeds("frontend").contains("primary"),
        "{}",
        seeds("frontend")
    );
    for (number, mode) in ["seeding", "growth", "conservation"]
        .into_iter()
        .enumerate()
    {
        town.set_town_setting("hooks", json!({ "keeper_mode": mode }));
        let bead = town.bead("web", "Profile");
        let said = create(
            &town,
            "User profile",
            &[&bead],
            "User profile modal with logout",
        );
        assert_eq!(said.code, 0, "{mode}: {}", said.err);
        let id = format!("ADR-00{}", number + 1);
        let shown = keeper(&town, &["show", &id]).ok().out;
        for words in [
            "spec: User profile modal with logout",
            "AuthService.logout",
            "UserService.getProfile",
            "target: Modal",
            "status: approved",
        ] {
            assert!(shown.contains(words), "{mode}: `{words}` is not in {shown}");
        }
        assert!(
            !shown.contains("allow:") && !shown.contains("proposed:"),
            "{shown}"
        );
    }
}

#[test]
fn viewing_writes_nothing_and_commands_and_texts_are_installed() {
    let town = with_example();
    // A synonym is as good, and a look writes nothing.
    let look = keeper(&town, &["look", "--spec", "A popup to signout", "--json"])
        .ok()
        .json();
    assert_eq!(look["new"], json!([]), "{look}");
    let listed = keeper(&town, &["list", "--json"]).ok().json();
    assert_eq!(listed, json!([]));
    // Commands and texts are there for those who use them.
    for path in [
        "mayor/.claude/commands/keeper-review.md",
        "mayor/.gemini/commands/keeper-plant.toml",
        "web/keeper/templates/adr.yaml",
        "web/keeper/POLECAT-BRIEFING.md",
    ] {
        assert!(town.root().join(path).is_file(), "{path}");
    }
}

#[test]
fn later_sessions_of_a_convoy_get_only_the_clauses_of_their_area() {
    let (town, _origin) = planted();
    town.script(
        "cp \"$GT_PRIME_FILE\" \"$GT_ROOT/../scripts/prime-$GT_BEAD\"\necho w > \"$GT_BEAD.txt\"",
    );
    let first = town.bead("web", "Build the profile modal");
    let more = ["--deps", first.as_str()];
    let second = town.bead_with("web", "Append to the Tier enum", &more);
    let spec = "Add user profile modal with a logout button, and the Tier enum";
    assert_eq!(create(&town, "Profile", &[&first, &second], spec).code, 0);
    town.up();
    for bead in [&first, &second] {
        town.gt(["sling", bead, "web"]).ok();
        town.closed("web", bead);
    }
    let told = |bead: &str| {
        let prime = std::fs::read_to_string(town.path(&format!("scripts/prime-{bead}"))).unwrap();
        let prime: Value = serde_json::from_str(&prime).unwrap();
        prime["text"].as_str().unwrap().to_owned()
    };
    let (all, part) = (told(&first), told(&second));
    assert!(
        all.contains("new modal components") && all.contains("data-append"),
        "{all}"
    );
    assert!(
        !part.contains("new modal components") && part.contains("data-append"),
        "{part}"
    );
    assert!(
        part.contains("clauses about other areas are not shown: `gt keeper show ADR-001`"),
        "{part}"
    );
}
