//! Builds `docs/GT-COMPATIBILITY.md` from the table.

use kit::table;

use super::{SHORT_NAMES, Standing, all_commands, all_flags};

const INTRODUCTION: &str = "# Commands of the original gt

Every command of the original `gt` (v0.5.0), the commands that later versions up to 1.2.1 added, and everyday words
of other tools, with what typing them does here. `gt` answers by the same tables (`gt/templates/vocabulary`), and a test
drives every line of them with the real programs.

| Word | Meaning |
| --- | --- |
| same | Does the same. |
| kinder | Accepts the same line, and does more or asks for less. |
| accepted | Accepts the line, does nothing, and exits with 0. |
| runs | Typing it runs the command in the last column, with the same arguments. |
| renamed | Typing it prints the command in the last column, and exits with 2. |
| not offered | Typing it prints the reason and the next step, and exits with 2. |
";

/// Builds the page.
pub fn build_page() -> String {
    let mut page = String::from(INTRODUCTION);
    page.push_str(&count_line());
    let mut group = "";
    for command in all_commands() {
        if command.group != group {
            group = command.group;
            page.push_str(&format!(
                "\n## {group}\n\n| Command | Here | Command or reason |\n| --- | --- | --- |\n"
            ));
        }
        let name = format!("gt {}", command.path);
        page.push_str(&table_line(&name, command.standing));
    }
    page.push_str(
        "\n## Flags\n\nThe flags of commands that exist in both programs, if they differ.\n\n\
         | Flag | Here | Flag or reason |\n| --- | --- | --- |\n",
    );
    for flag in all_flags() {
        let name = format!("gt {} {}", flag.path, flag.spellings);
        page.push_str(&table_line(&name, flag.standing));
    }
    page.push_str("\n## Short names\n\n| Typed | Means |\n| --- | --- |\n");
    for [alias, name] in table::read_rows(SHORT_NAMES) {
        page.push_str(&format!("| `gt {alias}` | `gt {name}` |\n"));
    }
    page
}

/// The number of commands with each word.
fn count_line() -> String {
    let words = [
        "same",
        "kinder",
        "accepted",
        "runs",
        "renamed",
        "not offered",
    ];
    let counts = words.map(|word| {
        let count = all_commands()
            .filter(|command| word_of(command.standing) == word)
            .count();
        format!("{count} {word}")
    });
    format!(
        "\n{} commands: {}.\n",
        all_commands().count(),
        counts.join(", ")
    )
}

fn word_of(standing: Standing) -> &'static str {
    match standing {
        Standing::Same => "same",
        Standing::Kinder(_) => "kinder",
        Standing::Accepted(_) => "accepted",
        Standing::Runs(_) => "runs",
        Standing::Renamed { .. } => "renamed",
        Standing::NotOffered { .. } => "not offered",
    }
}

fn table_line(name: &str, standing: Standing) -> String {
    let text = match standing {
        Standing::Same => String::new(),
        Standing::Kinder(text) | Standing::Accepted(text) => text.to_owned(),
        Standing::Runs(command)
        | Standing::Renamed {
            command,
            note: None,
        } => format!("`{command}`"),
        Standing::Renamed {
            command,
            note: Some(note),
        } => format!("`{command}`: {note}"),
        Standing::NotOffered { reason, next } => {
            format!("{reason}. {}", next.to_string().replace('\n', " "))
        }
    };
    let text = text.replace('|', "\\|");
    format!("| `{name}` | {} | {text} |\n", word_of(standing))
}
