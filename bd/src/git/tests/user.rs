//! Who git's user is: the files say what the command says, or leave it to the command.

use std::cell::Cell;
use std::time::Duration;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;
use crate::git::User;
use crate::sys::Env;

/// A home of its own with a person's settings, and no system's settings.
fn at(place: &Place, folder: &str, settings: &str) -> Git {
    fs::create_dir_all(place.path(folder)).unwrap();
    fs::write(place.path(".gitconfig"), settings).unwrap();
    Git::at(place.path(folder))
        .with_env("HOME", place.root.path())
        .with_env("XDG_CONFIG_HOME", place.path("xdg"))
        .with_env("GIT_CONFIG_NOSYSTEM", "1")
}

fn user(name: Option<&str>, email: Option<&str>) -> User {
    User {
        name: name.map(str::to_owned),
        email: email.map(str::to_owned),
    }
}

fn by_files(git: &Git) -> Option<User> {
    git.user_by_files(&Env::default())
}

/// What a person is told who asks git.
fn told(git: &Git) -> User {
    let value = |key: &str| {
        let call = git.plumbing(["config", "--get", key]);
        let said = call.limit(Duration::from_secs(20)).finish().unwrap();
        let value = String::from_utf8(said.stdout).unwrap();
        let value = value.strip_suffix('\n').unwrap_or(&value).to_owned();
        Some(value).filter(|value| !value.is_empty())
    };
    user(
        value("user.name").as_deref(),
        value("user.email").as_deref(),
    )
}

/// The files are enough, and say the same as the command.
fn sure(git: &Git) -> User {
    let user = by_files(git).expect("the files are enough");
    assert_eq!(user, told(git));
    user
}

/// The files are not enough: the command is asked.
fn odd(git: &Git) -> User {
    assert_eq!(by_files(git), None);
    assert_eq!(git.user(&Env::default()), told(git));
    told(git)
}

const DANA: &str = "[user]\n\tname = Dana \"D.\" Doe # why\n\temail = \"dana@example.org\"\n";

#[test]
fn the_person_is_known_inside_and_outside_of_repositories() {
    let place = Place::new();
    let dana = user(Some("Dana D. Doe"), Some("dana@example.org"));
    assert_eq!(sure(&at(&place, "plain", DANA)), dana);
    let work = at(&place, "work", DANA);
    work.init("main", false).unwrap();
    assert_eq!(sure(&work), dana);
    fs::create_dir(place.path("work/deep")).unwrap();
    assert_eq!(sure(&at(&place, "work/deep", DANA)), dana);
}

#[test]
fn nearer_settings_win_and_the_last_of_a_file() {
    let place = Place::new();
    let work = at(&place, "work", DANA);
    work.init("main", false).unwrap();
    work.config_set("user.email", "work@example.org").unwrap();
    let email = Some("work@example.org");
    assert_eq!(sure(&work), user(Some("Dana D. Doe"), email));
    fs::create_dir_all(place.path("xdg/git")).unwrap();
    let xdg = "[user]\nname = Xeni\nname = Xena\nemail = x@example.org\n";
    fs::write(place.path("xdg/git/config"), xdg).unwrap();
    assert_eq!(sure(&work), user(Some("Dana D. Doe"), email));
    assert_eq!(sure(&at(&place, "work", "")), user(Some("Xena"), email));
    let other = work.with_env("GIT_CONFIG_GLOBAL", place.path("gitconfig"));
    assert_eq!(sure(&other), user(Some("Tess"), email));
}

#[test]
fn what_is_not_set_anywhere_is_not_known() {
    let place = Place::new();
    assert_eq!(sure(&at(&place, "plain", "")), User::default());
    let half = at(
        &place,
        "plain",
        "[USER]\n  Name = Dana\n[user \"x\"]\nemail = no\n",
    );
    assert_eq!(sure(&half), user(Some("Dana"), None));
    for end in [
        "name =",
        "name",
        "name = \"\"",
        "name = \"a\\nuser.email b\"",
    ] {
        odd(&at(&place, "plain", &format!("{DANA}[user]\n{end}\n")));
    }
}

#[test]
fn included_files_count_and_conditional_ones_are_left_to_the_command() {
    let place = Place::new();
    fs::write(place.path("more"), "[user]\nname = Included\n").unwrap();
    let name = Some("Included".to_owned());
    for path in ["more", "~/more", "./more", "nothing/../more"] {
        fs::create_dir_all(place.path("nothing")).unwrap();
        let included = format!("{DANA}[include]\npath = {path}\n");
        assert_eq!(sure(&at(&place, "work", &included)).name, name);
    }
    let later = format!("[include]\npath = more\npath = none\n{DANA}");
    let dana = Some("Dana D. Doe");
    assert_eq!(sure(&at(&place, "work", &later)).name.as_deref(), dana);
    let round = "[include]\npath = .gitconfig\n";
    odd(&at(&place, "work", round));
    at(&place, "work", "").init("main", false).unwrap();
    let conditional = format!("{DANA}[includeIf \"gitdir:~/work/\"]\npath = more\n");
    assert_eq!(odd(&at(&place, "work", &conditional)).name, name);
}

#[test]
fn a_linked_worktree_has_the_settings_of_its_repository() {
    let place = Place::new();
    let work = at(&place, "work", DANA);
    work.init("main", false).unwrap();
    work.config_set("user.name", "Own").unwrap();
    commit(&work, "README", "hello\n");
    let other = place.path("other");
    let args = ["worktree", "add", "-q", "-b", "x"].map(OsString::from);
    work.plumbing(args).args([&other]).done().unwrap();
    assert_eq!(
        sure(&at(&place, "other", DANA)).name.as_deref(),
        Some("Own")
    );
    let own_settings = ["config", "extensions.worktreeConfig", "true"];
    work.plumbing(own_settings).done().unwrap();
    odd(&at(&place, "other", DANA));
}

#[test]
fn what_only_git_can_judge_is_left_to_it() {
    let place = Place::new();
    for settings in [
        "[user]\nname\n",
        "[user\nname = x\n",
        "[user]\nname = \"a\\nb\"\n",
        "[user]\nname = x\n[alias]\nx = !grep a\\.b\n",
        "[user]\nname = x\n[alias]\nx = \"a\\\"\n",
        "[user]\nname = \\\"x\"\n",
        "[user]\nname = x\n[include]\npath\n",
        "[user]\nname = x\n[include]\npath = .\n",
        "[user]\nname = x\n[include]\npath = ~root/x\n",
    ] {
        odd(&at(&place, "plain", settings));
    }
    // Git refuses to read any settings beside broken ones, also where those say nothing about the user.
    let work = at(&place, "work", DANA);
    work.init("main", false).unwrap();
    assert_eq!(sure(&work).name.as_deref(), Some("Dana D. Doe"));
    fs::write(
        place.path("work/.git/config"),
        "[core]\n\tbare = false\n[half\n",
    )
    .unwrap();
    odd(&work);
    at(&place, "bare.git", "").init("main", true).unwrap();
    odd(&at(&place, "bare.git", DANA));
    fs::create_dir_all(place.path("broken/.git")).unwrap();
    odd(&at(&place, "broken", DANA));
}

#[test]
fn a_repository_that_git_refuses_is_left_to_it() {
    let place = Place::new();
    let work = at(&place, "work", DANA);
    work.init("main", false).unwrap();
    work.config_set("user.name", "Own").unwrap();
    let config = fs::read_to_string(place.path("work/.git/config")).unwrap();
    for more in ["bare = maybe", "worktree", "worktree = ../../nope"] {
        let config = format!("{config}[core]\n{more}\n");
        fs::write(place.path("work/.git/config"), config).unwrap();
        odd(&work);
    }
    fs::write(place.path("work/.git/config"), &config).unwrap();
    assert_eq!(sure(&work).name.as_deref(), Some("Own"));
    let head = fs::read(place.path("work/.git/HEAD")).unwrap();
    fs::write(place.path("work/.git/HEAD"), "").unwrap();
    odd(&work);
    fs::write(place.path("work/.git/HEAD"), head).unwrap();
    fs::remove_dir_all(place.path("work/.git/refs")).unwrap();
    fs::write(place.path("work/.git/refs"), "").unwrap();
    odd(&work);
}

#[test]
fn a_file_that_is_named_from_some_folder_is_left_to_the_command() {
    let place = Place::new();
    let work = at(&place, "work", DANA);
    work.init("main", false).unwrap();
    fs::create_dir(place.path("work/deep")).unwrap();
    for (folder, name) in [("work", "Top"), ("work/deep", "Deep")] {
        let text = format!("[user]\nname = {name}\n");
        fs::write(place.path(folder).join("own"), text).unwrap();
    }
    let deep = at(&place, "work/deep", DANA).with_env("GIT_CONFIG_GLOBAL", "own");
    assert_eq!(odd(&deep).name.as_deref(), Some("Top"));
}

const HEADERS: &str = concat!(
    "[user]|[User]| [user]|[user] |[user \"x\"]|[user \"\"]|[user.x]|[core]|[color \"a b\"]|[include]|[user|user]|[]|",
    "[user]name = Inline|[é]|[user\t\"x\"]|[a\"b]|[core] # why"
);
const KEYS: &str =
    "\tname|\temail|Name|  EMAIL|repositoryformatversion|bare|path|na me|1name|na-me|name |";
const EQUALS: &str = " = | = | = |=| =|  =  | |";
const VALUES: &str = concat!(
    "Dana|Dana Doe|d@x.org|0|D # x|D#|x;y|\"q\"|\"q|a\\|a\\nb|é| lead|trail |a\tb|\t|=|a = b|[x]|more|true|",
    "\u{a0}x\u{a0}|x\r|\u{b}||a\\q|\"a\\\"|\\\"a\"|\"a\\\"b\"|a\\\\b|\"a # b\" # c|it's # \"|\" x \"|x \"\"|\"\" x|a  b"
);
const OTHERS: &str = "|  |# why|\t; why|# it's 5\"|# a\\|\u{feff}|#\u{1}";

fn one_of(texts: &'static str) -> impl Strategy<Value = &'static str> {
    prop::sample::select(texts.split('|').collect::<Vec<_>>())
}

/// A line of a file of settings, well or badly written.
fn line() -> impl Strategy<Value = String> {
    let setting = (one_of(KEYS), one_of(EQUALS), one_of(VALUES))
        .prop_map(|(key, equals, value)| format!("{key}{equals}{value}"));
    let good = (one_of("name|email|path"), one_of(VALUES))
        .prop_map(|(key, value)| format!("{key} = {value}"));
    prop_oneof![
        1 => one_of(HEADERS).prop_map(str::to_owned),
        1 => one_of("[user]|[include]|[alias]").prop_map(str::to_owned),
        1 => setting,
        5 => good,
        1 => one_of(OTHERS).prop_map(str::to_owned),
    ]
}

#[test]
fn however_settings_are_written_the_command_says_the_same() {
    let lines = || prop::collection::vec(line(), 0..4);
    let ends = one_of("\n|");
    let place = Place::new();
    let sure = Cell::new(0);
    let config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let cases = config.cases;
    let tested = TestRunner::new(config).run(&(lines(), lines(), ends), |(lines, more, end)| {
        let text = |lines: &[String]| format!("[user]\n\tname = Dana\n{}{end}", lines.join("\n"));
        fs::write(place.path("more"), text(&more)).unwrap();
        let git = at(&place, "plain", &text(&lines));
        if let Some(user) = by_files(&git) {
            sure.set(sure.get() + 1);
            prop_assert_eq!(
                user,
                told(&git),
                "{:?}, more: {:?}",
                text(&lines),
                text(&more)
            );
        }
        Ok(())
    });
    tested.unwrap();
    assert!(
        sure.get() > cases / 8,
        "{} of {cases} were sure",
        sure.get()
    );
}
