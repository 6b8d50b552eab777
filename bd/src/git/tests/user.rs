//! The git user: the remembered answer equals the answer of the git command.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;
use crate::git::GitUser;
use kit::sys::Env;

/// Creates a repository whose own settings end with `settings`, beside a file `more`.
fn create_repository(place: &TestPlace, settings: &str) -> Git {
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

/// Returns the answer of the git command.
fn query_git(git: &Git) -> GitUser {
    let value = |key: &str| {
        let output = git.plumbing(["config", "--get", key]).finish().unwrap();
        let value = String::from_utf8(output.stdout).unwrap();
        let value = value.strip_suffix('\n').unwrap_or(&value).to_owned();
        Some(value).filter(|value| !value.is_empty())
    };
    GitUser {
        name: value("user.name"),
        email: value("user.email"),
    }
}

/// Asserts that the answer equals git's answer, both when computed and when remembered.
fn assert_remembered(git: &Git) -> GitUser {
    let place = super::super::find_git_folders(git.folder())
        .unwrap()
        .git_dir
        .join("bd-user");
    let is_known = || {
        assert_eq!(git.user(&Env::default()), query_git(git));
        place.exists().then_some(())
    };
    kit::sys::clock::wait_for(Duration::from_secs(5), is_known).expect("it is remembered");
    let user = git.user(&Env::default());
    assert_eq!(user, query_git(git));
    user
}

/// Asserts that the git command is run every time.
fn assert_not_remembered(git: &Git) -> GitUser {
    let place = git.folder().join(".git/bd-user");
    fs::remove_file(&place).ok();
    let settled = std::time::Instant::now() + Duration::from_millis(30);
    while std::time::Instant::now() < settled {
        assert_eq!(git.user(&Env::default()), query_git(git));
    }
    assert!(!place.exists());
    query_git(git)
}

fn build_user(name: &str, email: &str) -> GitUser {
    GitUser {
        name: Some(name.to_owned()),
        email: Some(email.to_owned()),
    }
}

const DANA: &str = "[user]\n\tname = Dana \"D.\" Doe # why\n\temail = \"dana@example.org\"\n";

#[test]
fn the_git_user_is_found_in_every_folder_and_worktree() {
    let place = TestPlace::new();
    let work = create_repository(&place, DANA);
    let dana = build_user("Dana D. Doe", "dana@example.org");
    assert_eq!(assert_remembered(&work), dana);
    fs::create_dir(place.path("work/deep")).unwrap();
    assert_eq!(assert_remembered(&Git::at(place.path("work/deep"))), dana);
    commit_file(&work, "README", "hello\n");
    let other = place.path("other");
    let args = ["worktree", "add", "-q", "-b", "x"].map(OsString::from);
    work.plumbing(args).args([&other]).finish_checked().unwrap();
    assert_eq!(assert_remembered(&Git::at(&other)), dana);
    let own_settings = ["config", "extensions.worktreeConfig", "true"];
    work.plumbing(own_settings).finish_checked().unwrap();
    let other = Git::at(&other);
    let own_name = ["config", "--worktree", "user.name", "Own"];
    other.plumbing(own_name).finish_checked().unwrap();
    assert_eq!(other.user(&Env::default()), query_git(&other));
    assert_eq!(work.user(&Env::default()), query_git(&work));
}

#[test]
fn the_last_setting_wins_and_included_files_count() {
    let place = TestPlace::new();
    let twice = format!("{DANA}[user]\nname = Xena\n");
    assert_eq!(
        assert_remembered(&create_repository(&place, &twice)),
        build_user("Xena", "dana@example.org")
    );
    let included = format!("{DANA}[include]\npath = more\npath = none\n");
    let dana = build_user("Included", "dana@example.org");
    assert_eq!(
        assert_not_remembered(&create_repository(&place, &included)),
        dana
    );
    let conditional = format!("{DANA}[includeIf \"gitdir:**\"]\npath = more\n");
    assert_eq!(
        assert_not_remembered(&create_repository(&place, &conditional)),
        dana
    );
}

#[test]
fn configuration_from_variables_is_left_to_the_git_command() {
    let place = TestPlace::new();
    let work = create_repository(&place, "[user]\nemail = own@example.org\n");
    let global = place.path("gitconfig");
    let named = work.clone().with_env("GIT_CONFIG_GLOBAL", &global);
    let tess = build_user("Tess", "own@example.org");
    assert_eq!(named.user(&Env::default()), tess);
    assert_eq!(query_git(&named), tess);
}

#[test]
fn configuration_that_only_git_can_evaluate_is_left_to_git() {
    let place = TestPlace::new();
    assert_not_remembered(&create_repository(&place, &format!("{DANA}[half\n")));
    for settings in ["[user]\nname =\n", "[user]\nemail\n"] {
        assert_remembered(&create_repository(&place, &format!("{DANA}{settings}")));
    }
    let bare = Git::at(place.path("bare.git"));
    bare.init("main", true).unwrap();
    bare.config_set("user.name", "Own").unwrap();
    assert_eq!(bare.user(&Env::default()), query_git(&bare));
    fs::create_dir_all(place.path("broken/.git")).unwrap();
    let broken = Git::at(place.path("broken"));
    assert_eq!(broken.user(&Env::default()), query_git(&broken));
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

/// A line of a settings file.
fn any_settings_line() -> impl Strategy<Value = String> {
    let setting = (
        one_of("name|email|\tName|  EMAIL"),
        one_of(" = |=|  =  "),
        one_of(VALUES),
    )
        .prop_map(|(key, equals, value)| format!("{key}{equals}{value}"));
    prop_oneof![3 => setting, 1 => one_of(LINES).prop_map(str::to_owned)]
}

#[test]
fn the_reader_agrees_with_the_git_command_for_any_settings() {
    let lines = prop::collection::vec(any_settings_line(), 0..5);
    let place = TestPlace::new();
    let config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let tested = TestRunner::new(config).run(&lines, |lines| {
        let text = format!("{DANA}{}\n", lines.join("\n"));
        let git = create_repository(&place, &text);
        prop_assert_eq!(git.user(&Env::default()), query_git(&git), "{:?}", text);
        Ok(())
    });
    tested.unwrap();
}
