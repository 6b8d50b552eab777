//! Suggests a gate for a repository without one, by the files in it. A suggestion is never set
//! automatically.

use std::path::Path;

use kit::sys::foreign;

use crate::town::RigLayout;

/// The test command by a file in the top folder, and a text that the file must contain.
const TEST_COMMANDS: &[(&str, &str, &str)] = &[
    ("Makefile", "\ntest:", "make test"),
    ("justfile", "\ntest:", "just test"),
    ("Cargo.toml", "", "cargo test"),
    ("go.mod", "", "go test ./..."),
    ("package.json", "\"test\"", "npm ci && npm test"),
    ("pyproject.toml", "pytest", "pytest"),
    ("pytest.ini", "", "pytest"),
    ("mix.exs", "", "mix test"),
    ("Gemfile", "rspec", "bundle exec rspec"),
];

/// Returns the test command that the files of the rig's repository suggest.
pub fn suggest_test_command(rig: &RigLayout) -> Option<&'static str> {
    TEST_COMMANDS
        .iter()
        .find(|(name, text, _)| file_contains(&rig.mayor_clone().join(name), text))
        .map(|(_, _, command)| *command)
}

fn file_contains(path: &Path, text: &str) -> bool {
    let is_file = std::fs::symlink_metadata(path).is_ok_and(|found| found.is_file());
    let bytes = foreign::read_small_file(path).ok().flatten();
    // The first line has no line break before it.
    let content = format!(
        "\n{}",
        String::from_utf8_lossy(bytes.as_deref().unwrap_or(b""))
    );
    is_file && content.contains(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::town::TownLayout;

    #[test]
    fn the_test_command_follows_from_the_files() {
        let folder = tempfile::tempdir().unwrap();
        let rig = TownLayout::new(folder.path()).rig("web");
        let clone = rig.mayor_clone();
        std::fs::create_dir_all(&clone).unwrap();
        assert_eq!(suggest_test_command(&rig), None);
        std::fs::write(clone.join("package.json"), "{}").unwrap();
        assert_eq!(suggest_test_command(&rig), None);
        std::fs::write(clone.join("Cargo.toml"), "").unwrap();
        assert_eq!(suggest_test_command(&rig), Some("cargo test"));
        std::fs::write(clone.join("Makefile"), "test:\n\ttrue\n").unwrap();
        assert_eq!(suggest_test_command(&rig), Some("make test"));
    }
}
