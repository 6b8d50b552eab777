//! Ways to say "done" without work. None of them closes the bead as merged, and each is refused
//! with its reason or waits for a person.

use town_tests::{Repo, Town};

/// A worker's attempt to finish its bead without work.
struct Pretence {
    name: &'static str,
    /// The shell commands that the worker runs in its sandbox. `$BASE` is the start of its branch,
    /// `$OTHER` a commit of another worker on the target, `$BRANCH` the branch of its bead, `$SIDE`
    /// the name for another branch.
    script: &'static str,
    /// Further arguments of `gt done`.
    args: &'static [&'static str],
    /// A part of the reason for which it is not accepted.
    reason: &'static str,
}

const fn pretence(name: &'static str, script: &'static str, reason: &'static str) -> Pretence {
    Pretence {
        name,
        script,
        args: &[],
        reason,
    }
}

const NOTHING: &str = "nothing to merge";
const NOT_COMMITTED: &str = "not committed";
const ALREADY_THERE: &str = "has this change already";

/// The commands with which a worker changes nothing on its target.
const PRETENCES: &[Pretence] = &[
    pretence("nothing at all", "true", NOTHING),
    pretence(
        "an empty commit",
        "git commit -q --allow-empty -m 'did it'",
        NOTHING,
    ),
    pretence(
        "several empty commits",
        "for i in 1 2 3; do git commit -q --allow-empty -m \"step $i\"; done",
        NOTHING,
    ),
    pretence(
        "a change and its revert",
        "echo x > a.txt && git add -A && git commit -qm Add && git revert --no-edit HEAD",
        NOTHING,
    ),
    pretence(
        "a file added and removed",
        "echo x > a.txt && git add -A && git commit -qm Add && git rm -q a.txt && git commit -qm Remove",
        NOTHING,
    ),
    pretence(
        "a file renamed and renamed back",
        "git mv shared.txt b.txt && git commit -qm Move && git mv b.txt shared.txt && git commit -qm Back",
        NOTHING,
    ),
    pretence(
        "a mode changed and changed back",
        "chmod +x shared.txt && git commit -qam Run && chmod -x shared.txt && git commit -qam Back",
        NOTHING,
    ),
    pretence(
        "a commit that is taken back by a reset",
        "echo x > a.txt && git add -A && git commit -qm Add && git reset -q --hard $BASE",
        NOTHING,
    ),
    pretence(
        "an amended commit of the target",
        "git commit -q --amend --allow-empty -m 'My own words'",
        ALREADY_THERE,
    ),
    pretence(
        "a commit object without a change",
        "git reset -q --hard $(git commit-tree -p HEAD -m 'did it' HEAD^{tree})",
        NOTHING,
    ),
    pretence(
        "a merge of an empty branch",
        "git switch -qc $SIDE && git commit -q --allow-empty -m side && git switch -q $BRANCH && git merge -q --no-ff -m m $SIDE",
        NOTHING,
    ),
    pretence(
        "a merge that keeps nothing of a branch",
        "git switch -qc $SIDE && echo x > a.txt && git add -A && git commit -qm side && git switch -q $BRANCH \
         && git merge -q -s ours -m m $SIDE",
        NOTHING,
    ),
    pretence(
        "a merge with an unrelated history that keeps nothing",
        "git merge -q -s ours --allow-unrelated-histories -m m $(git commit-tree -m root $(git mktree </dev/null))",
        NOTHING,
    ),
    pretence(
        "the target, fast-forwarded",
        "git pull -q --ff-only origin main",
        NOTHING,
    ),
    pretence(
        "the target, merged",
        "git commit -q --allow-empty -m x && git fetch -q origin && git merge -q --no-edit origin/main",
        NOTHING,
    ),
    pretence(
        "an empty commit on top of the newest target",
        "git pull -q --ff-only origin main && git commit -q --allow-empty -m 'did it'",
        NOTHING,
    ),
    pretence(
        "a merge of the target that keeps the older files",
        "git fetch -q origin && git merge -q -s ours -m m origin/main && git checkout -q origin/main -- . \
         && git commit -q --amend --no-edit",
        NOTHING,
    ),
    pretence(
        "a copy of someone else's merged commit",
        "git fetch -q origin && git cherry-pick -x $OTHER",
        ALREADY_THERE,
    ),
    pretence(
        "a copy under the worker's name",
        "git fetch -q origin && git cherry-pick -x $OTHER && git commit -q --amend --reset-author -m 'did it'",
        ALREADY_THERE,
    ),
    pretence(
        "the files of someone else's merged commit",
        "git fetch -q origin && git checkout -q $OTHER -- other.txt && git commit -qm 'did it'",
        ALREADY_THERE,
    ),
    pretence(
        "a copy and an empty commit",
        "git fetch -q origin && git cherry-pick -x $OTHER && git commit -q --allow-empty -m 'did it'",
        ALREADY_THERE,
    ),
    pretence(
        "a copy of a commit in two parts",
        "git fetch -q origin && printf 'oth' > other.txt && git add -A && git commit -qm Half \
         && git checkout -q $OTHER -- other.txt && git commit -qam Whole",
        ALREADY_THERE,
    ),
    pretence("an uncommitted file", "echo x > a.txt", NOT_COMMITTED),
    pretence(
        "a staged file",
        "echo x > a.txt && git add -A",
        NOT_COMMITTED,
    ),
    pretence(
        "a file that is only announced",
        "echo x > a.txt && git add -N a.txt",
        NOT_COMMITTED,
    ),
    pretence("an uncommitted removal", "rm shared.txt", NOT_COMMITTED),
    pretence(
        "a change that git is told to hide",
        "echo x > shared.txt && git update-index --assume-unchanged shared.txt",
        "hides changes of shared.txt",
    ),
    pretence(
        "a change in a file that git skips",
        "echo x > shared.txt && git update-index --skip-worktree shared.txt",
        "hides changes of shared.txt",
    ),
    pretence(
        "commits on no branch",
        "git switch -q --detach && echo x > a.txt && git add -A && git commit -qm x",
        "the work belongs on",
    ),
    pretence(
        "commits on another branch",
        "git switch -qc $SIDE && echo x > a.txt && git add -A && git commit -qm x",
        "the work belongs on",
    ),
    pretence(
        "a tag and a note",
        "git tag $SIDE && git notes add -f -m 'did it' HEAD",
        NOTHING,
    ),
    pretence(
        "a replacement of the start by another tree",
        "git commit -q --allow-empty -m x && git replace -f $BASE \
         $(git commit-tree -m fake $(git mktree </dev/null))",
        NOTHING,
    ),
    pretence(
        "a graft that hides the start",
        "git commit -q --allow-empty -m x && mkdir -p $(git rev-parse --git-common-dir)/info \
         && git rev-parse HEAD > $(git rev-parse --git-common-dir)/info/grafts",
        NOTHING,
    ),
    pretence(
        "a pushed branch without a change",
        "git commit -q --allow-empty -m x && git push -q origin HEAD",
        NOTHING,
    ),
    pretence(
        "an empty commit, pushed to the target",
        "git pull -q --ff-only origin main && git commit -q --allow-empty -m x && git push -q origin HEAD:main",
        NOTHING,
    ),
    pretence(
        "a change and its revert, pushed to the target",
        "git pull -q --ff-only origin main && echo x > a.txt && git add -A && git commit -qm Add \
         && git revert --no-edit HEAD && git push -q origin HEAD:main",
        "change no file",
    ),
    pretence(
        "a log that calls someone else's commit its own",
        "git fetch -q origin && git reset -q --hard $BASE && git update-ref -m 'commit: mine' HEAD $OTHER \
         && git reset -q --hard",
        "itself, before any check",
    ),
    pretence(
        "a change, pushed to the target past the queue",
        "git pull -q --ff-only origin main && echo x > past.txt && git add -A && git commit -qm Past \
         && git push -q origin HEAD:main",
        "itself, before any check",
    ),
    Pretence {
        name: "a reason for no change in spite of commits",
        script: "echo x > a.txt && git add -A && git commit -qm x",
        args: &["--no-change", "nothing to do"],
        reason: "--no-change was given",
    },
    Pretence {
        name: "a reason for no change in spite of work elsewhere",
        script: "git switch -qc $SIDE && echo x > a.txt && git add -A && git commit -qm x && git switch -q $BRANCH",
        args: &["--no-change", "nothing to do"],
        reason: "there is work that is not on branch",
    },
];

struct Pretender {
    town: Town,
    origin: Repo,
}

impl Pretender {
    /// Slings a bead, lets the worker run the script, and returns why the work is not accepted.
    fn try_to_finish(&self, pretence: &Pretence) -> String {
        let bead = self.town.bead("web", pretence.name);
        let name = self.town.sling(&bead);
        let sandbox = self.town.sandbox(&name);
        // The target moves on after the branch was made.
        let base = self.origin.git(["rev-parse", "main"]);
        let number = self.origin.subjects("main").len();
        self.origin
            .commit("other.txt", &format!("other {number}\n"), "Other");
        let other = self.origin.git(["rev-parse", "main"]);
        let branch = self
            .town
            .git_at(&sandbox, ["branch", "--show-current"])
            .ok();
        let script = self.town.program_on_path("sh").at(&sandbox);
        script
            .args(["-ec", pretence.script])
            .env("BASE", base.trim())
            .env("OTHER", other.trim())
            .env("BRANCH", branch.out.trim())
            .env("SIDE", format!("side-{number}"))
            .ok();
        let done = self
            .town
            .gt_as(&name, ["done", "--stay", "--summary", "did it"])
            .args(pretence.args.iter().copied())
            .run();
        let mut reason = done.err;
        if done.code == 0 {
            let ran = self.town.gt(["mq", "run", "web", "--json"]).ok().json();
            reason = ran[0]["reason"].as_str().unwrap_or_default().to_owned();
            let outcome = ran[0]["outcome"].as_str();
            assert_eq!(outcome, Some("needs_person"), "{}: {ran}", pretence.name);
            let request = ran[0]["request"].as_str().unwrap();
            if reason.contains("change no file") {
                self.check_offers(&bead);
            }
            self.town
                .gt(["mq", "reject", request, "--reason", "no work"])
                .ok();
            self.town.gt(["mq", "run", "web"]).ok();
        }
        let status = self.town.status_of("web", &bead);
        assert_ne!(status, "closed", "{}", pretence.name);
        self.town.gt(["unsling", &bead, "--force"]).run();
        let close = ["close", &bead, "--force", "--reason", "Cancelled: a test"];
        self.town.bd("web", close).ok();
        reason
    }

    /// Checks that the screens offer what ends a request without a change.
    fn check_offers(&self, bead: &str) {
        let close = format!("bd close {bead} --force");
        for args in [vec!["status"], vec!["why", bead], vec!["mq", "list", "web"]] {
            let shown = self.town.gt(args).ok().out;
            assert!(shown.contains(&close), "{shown}");
            assert!(!shown.contains("gt mq retry"), "{shown}");
        }
        let overview = self.town.gt(["top", "--json"]).ok().json();
        let offers = overview["offers"]["needs"].to_string();
        for label in ["Give to a fresh worker", "Close, nothing to change"] {
            assert!(offers.contains(label), "{offers}");
        }
    }
}

#[test]
fn forty_ways_to_say_done_without_work_are_not_accepted() {
    assert!(PRETENCES.len() >= 40, "{}", PRETENCES.len());
    let (town, origin) = Town::with_rig();
    origin.commit("shared.txt", "shared\n", "Start");
    town.script("while :; do sleep 1; done");
    let pretender = Pretender { town, origin };
    let mut accepted = Vec::new();
    for pretence in PRETENCES {
        let reason = pretender.try_to_finish(pretence);
        if !reason.contains(pretence.reason) {
            accepted.push(format!("{}: {reason}", pretence.name));
        }
    }
    assert!(accepted.is_empty(), "{}", accepted.join("\n"));
    let counts = pretender
        .town
        .gt(["mq", "stats", "web", "--json"])
        .ok()
        .json();
    assert_eq!(counts["merged"], 0, "{counts}");
}
