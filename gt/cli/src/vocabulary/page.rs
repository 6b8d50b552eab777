//! Builds `docs/GT-COMPATIBILITY.md` from the table.

use super::{ALIASES, FLAGS, GROUPS, Standing, all_commands};

const INTRODUCTION: &str = "# Commands of the original gt

Every command of the original `gt` (v0.5.0), the commands that later versions added, and everyday words of other
tools, with what typing them does here. The table is the one by which `gt` answers (`gt/cli/src/vocabulary`), and a test
drives every line of it with the real programs.

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
    for group in GROUPS {
        page.push_str(&format!(
            "\n## {}\n\n| Command | Here | Command or reason |\n| --- | --- | --- |\n",
            group.title
        ));
        for command in group.commands {
            let name = format!("gt {}", command.path);
            page.push_str(&table_line(&name, command.standing));
        }
    }
    page.push_str(
        "\n## Flags\n\nThe flags of commands that exist in both programs, if they differ.\n\n\
         | Flag | Here | Flag or reason |\n| --- | --- | --- |\n",
    );
    for flag in FLAGS {
        let name = format!("gt {} {}", flag.path, flag.names.join(", "));
        page.push_str(&table_line(&name, flag.standing));
    }
    page.push_str("\n## Short names\n\n| Typed | Means |\n| --- | --- |\n");
    for (alias, name) in ALIASES {
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
        Standing::Runs(command) | Standing::Renamed { command, note: "" } => {
            format!("`{command}`")
        }
        Standing::Renamed { command, note } => format!("`{command}`: {note}"),
        Standing::NotOffered { reason, next } => format!("{reason}. {}", next.replace('\n', " ")),
    };
    let text = text.replace('|', "\\|");
    format!("| `{name}` | {} | {text} |\n", word_of(standing))
}
