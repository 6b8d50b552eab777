//! Who git's user is: what is remembered of it is what the command says.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;
use crate::git::User;
use kit::sys::Env;

/// A repository whose own settings end so, beside a file `more`.
fn repository(place: &Place, settings: &str) -> Git {
    let work = Git::at(place.path("work"));
    if !work.folder().exists() {
        work.init("main", false).unwrap();
        fs::copy(place.path("work/.git/config"), place.path("usual")).unwrap();
    }
    let usual = fs::read_to_string(place.path("usual")).unwrap();
    fs::write(place.path("work/.git/config"), usual + settings).unwrap();
    fs::write(place.path("work/.git/more"), "[user]\nname = Included\n").unwrap();
    work
}

/// What a person is told who asks git.
fn told(git: &Git) -> User {
    let value = |key: &str| {
        let said = git.plumbing(["config", "--get", key]).finish().unwrap();
        let value = String::from_utf8(said.stdout).unwrap();
        let value = value.strip_suffix('\n').unwrap_or(&value).to_owned();
        Some(value).filter(|value| !value.is_empty())
    };
    User {
        name: value("user.name"),
        email: value("user.email"),
    }
}

/// What git says, also where it was remembered.
fn sure(git: &Git) -> User {
    let place = super::super::folders(git.folder())
        .unwrap()
        .own
        .join("bd-user");
    let is_known = || {
        assert_eq!(git.user(&Env::default()), told(git));
        place.exists().then_some(())
    };
    kit::sys::clock::wait_for(Duration::from_secs(5), is_known).expect("it is remembered");
    let user = git.user(&Env::default());
    assert_eq!(user, told(git));
    user
}

/// The command is asked each time.
fn odd(git: &Git) -> User {
    let place = git.folder().join(".git/bd-user");
    fs::remove_file(&place).ok();
    let settled = std::time::Instant::now() + Duration::from_millis(30);
    while std::time::Instant::now() < settled {
        assert_eq!(git.user(&Env::default()), told(git));
    }
    assert!(!place.exists());
    told(git)
}

fn user(name: &str, email: &str) -> User {
    User {
        name: Some(name.to_owned()),
        email: Some(email.to_owned()),
    }
}

const DANA: &str = "[user]\n\tname = Dana \"D.\" Doe # why\n\temail = \"dana@example.org\"\n";

#[test]
fn the_user_of_a_repository_is_known_in_each_of_its_folders_and_worktrees() {
    let place = Place::new();
    let work = repository(&place, DANA);
    let dana = user("Dana D. Doe", "dana@example.org");
    assert_eq!(sure(&work), dana);
    fs::create_dir(place.path("work/deep")).unwrap();
    assert_eq!(sure(&Git::at(place.path("work/deep"))), dana);
    commit(&work, "README", "hello\n");
    let other = place.path("other");
    let args = ["worktree", "add", "-q", "-b", "x"].map(OsString::from);
    work.plumbing(args).args([&other]).done().unwrap();
    assert_eq!(sure(&Git::at(&other)), dana);
    let own_settings = ["config", "extensions.worktreeConfig", "true"];
    work.plumbing(own_settings).done().unwrap();
    let other = Git::at(&other);
    let own_name = ["config", "--worktree", "user.name", "Own"];
    other.plumbing(own_name).done().unwrap();
    assert_eq!(other.user(&Env::default()), told(&other));
    assert_eq!(work.user(&Env::default()), told(&work));
}

#[test]
fn the_last_setting_wins_and_included_files_count() {
    let place = Place::new();
    let twice = format!("{DANA}[user]\nname = Xena\n");
    assert_eq!(
        sure(&repository(&place, &twice)),
        user("Xena", "dana@example.org")
    );
    let included = format!("{DANA}[include]\npath = more\npath = none\n");
    let dana = user("Included", "dana@example.org");
    assert_eq!(odd(&repository(&place, &included)), dana);
    let conditional = format!("{DANA}[includeIf \"gitdir:**\"]\npath = more\n");
    assert_eq!(odd(&repository(&place, &conditional)), dana);
}

#[test]
fn what_variables_name_is_left_to_the_command() {
    let place = Place::new();
    let work = repository(&place, "[user]\nemail = own@example.org\n");
    let global = place.path("gitconfig");
    let named = work.clone().with_env("GIT_CONFIG_GLOBAL", &global);
    let tess = user("Tess", "own@example.org");
    assert_eq!(named.user(&Env::default()), tess);
    assert_eq!(told(&named), tess);
}

#[test]
fn what_only_git_can_judge_is_left_to_it() {
    let place = Place::new();
    odd(&repository(&place, &format!("{DANA}[half\n")));
    for settings in ["[user]\nname =\n", "[user]\nemail\n"] {
        sure(&repository(&place, &format!("{DANA}{settings}")));
    }
    let bare = Git::at(place.path("bare.git"));
    bare.init("main", true).unwrap();
    bare.config_set("user.name", "Own").unwrap();
    assert_eq!(bare.user(&Env::default()), told(&bare));
    fs::create_dir_all(place.path("broken/.git")).unwrap();
    let broken = Git::at(place.path("broken"));
    assert_eq!(broken.user(&Env::default()), told(&broken));
}

const VALUES: &str = concat!(
    "Dana|Dana Doe|d@x.org|0|D # x|D#|x;y|\"q\"|é| lead|trail |=|a = b|[x]|more|true|",
    "\\\"a\\\"|\"a\\\"b\"|a\\\\b|\"a # b\" # c|it's # \"|\" x \"|x \"\"|a  b"
);
const LINES: &str =
    "[user]|[User]|[core]|[alias]|  |# why|\t; why|# it's 5\"|[user \"x\"]|[color \"a b\"]";

fn one_of(texts: &'static str) -> impl Strategy<Value = &'static str> {
    prop::sample::select(texts.split('|').collect::<Vec<_>>())
}

/// A line of a file of settings.
fn line() -> impl Strategy<Value = String> {
    let setting = (
        one_of("name|email|\tName|  EMAIL"),
        one_of(" = |=|  =  "),
        one_of(VALUES),
    )
        .prop_map(|(key, equals, value)| format!("{key}{equals}{value}"));
    prop_oneof![3 => setting, 1 => one_of(LINES).prop_map(str::to_owned)]
}

#[test]
fn however_settings_are_written_the_command_says_the_same() {
    let lines = prop::collection::vec(line(), 0..5);
    let place = Place::new();
    let config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let tested = TestRunner::new(config).run(&lines, |lines| {
        let text = format!("{DANA}{}\n", lines.join("\n"));
        let git = repository(&place, &text);
        prop_assert_eq!(git.user(&Env::default()), told(&git), "{:?}", text);
        Ok(())
    });
    tested.unwrap();
}
