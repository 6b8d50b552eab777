//! How long the texts are that agents are told, in bytes and in tokens; the table of
//! docs/CONTEXT.md.

use town_tests::Town;

/// Tokens as the cl100k vocabulary counts them.
fn tokens(text: &str) -> usize {
    let words = tiktoken_rs::cl100k_base_singleton();
    words.encode_ordinary(text).len()
}

/// What the table of docs/CONTEXT.md says of a text: bytes and tokens.
fn in_docs(name: &str) -> (usize, usize) {
    let page = include_str!("../../../docs/CONTEXT.md");
    let row = format!("| {name} | ");
    let row = page.lines().find_map(|line| line.strip_prefix(&row));
    let row = row.unwrap_or_else(|| panic!("docs/CONTEXT.md has no row `{name}`"));
    let number = |cell: &str| cell.trim().replace(',', "").parse::<usize>().unwrap();
    let mut cells = row
        .split('|')
        .map(str::trim)
        .filter(|cell| !cell.is_empty());
    (number(cells.next().unwrap()), number(cells.next().unwrap()))
}

/// Prints a row of the table (`--nocapture` shows it), and holds the page to it: names of folders
/// and beads differ from run to run, by less than a tenth.
#[expect(clippy::print_stdout, reason = "the table is made from it")]
fn row(name: &str, text: &str) -> (usize, usize) {
    let found = (text.len(), tokens(text));
    println!("| {name} | {} | {} |", found.0, found.1);
    let near = |found: usize, said: usize| found.abs_diff(said) * 10 <= said.max(300);
    let said = in_docs(name);
    assert!(
        near(found.0, said.0) && near(found.1, said.1),
        "{name}: docs/CONTEXT.md says {said:?}, it is {found:?}"
    );
    found
}

#[test]
fn each_role_gets_its_context_in_few_tokens() {
    let (town, _origin) = Town::with_rig();
    let roles = [
        ("mayor", "mayor"),
        ("deacon", "deacon"),
        ("witness", "web/witness"),
        ("refinery", "web/refinery"),
        ("polecat", "web/polecats/nux"),
        ("crew", "web/crew/dana"),
    ];
    for (role, address) in roles {
        let text = town.gt(["prime"]).env("GT_ROLE", address).ok().out;
        let (bytes, tokens) = row(role, &text);
        assert!(bytes < 2048 && tokens < 500, "{role}: {bytes}, {tokens}");
        // The estimate of `--explain` is no promise, but near.
        assert!(
            bytes.div_ceil(4) < tokens * 2 && tokens < bytes / 2,
            "{role}"
        );
    }
}

#[test]
fn the_report_of_earlier_work_keeps_to_its_budget() {
    let (town, _origin) = Town::with_rig();
    town.script(
        r#"echo work > "$GT_BEAD.txt"
echo "made $GT_BEAD.txt; the parser needs a lexer first, see the notes in the commit" > "$GT_SUMMARY_FILE"
git add "$GT_BEAD.txt" && git commit --quiet -m "Make $GT_BEAD.txt""#,
    );
    let mut beads = Vec::new();
    for number in 0..12 {
        beads.push(town.bead("web", &format!("Part {number} of the parser")));
    }
    let mut args = vec!["convoy", "create", "The parser"];
    args.extend(beads.iter().map(String::as_str));
    town.gt(args).ok();
    town.up();
    let part = |bead: &str, name: &str| {
        let found = town.gt(["brief", bead, "--json"]).ok().json();
        let parts = found["parts"].as_array().unwrap().clone();
        let of_name = parts.iter().find(|part| part["name"] == name).cloned();
        let bytes = of_name.map_or(0, |part| part["bytes"].as_u64().unwrap());
        let text = found["text"].as_str().unwrap().to_owned();
        (usize::try_from(bytes).unwrap(), text)
    };
    for (done, last) in [(1, 2), (10, 11), (11, 12)] {
        let already = beads
            .iter()
            .filter(|bead| town.status_of("web", bead) == "closed");
        let missing = done - already.count();
        let open: Vec<&String> = beads
            .iter()
            .filter(|bead| town.status_of("web", bead) == "open")
            .take(missing)
            .collect();
        let mut sling = vec!["sling"];
        sling.extend(open.iter().map(|bead| bead.as_str()));
        sling.push("web");
        town.gt(sling).ok();
        for bead in open {
            town.closed("web", bead);
        }
        let (bytes, text) = part(&beads[last - 1], "convoy");
        let at = text.find("## Prior work in this convoy").unwrap();
        let name = match done {
            1 => "briefing, one bead finished",
            10 => "briefing, ten finished",
            _ => "briefing, eleven finished (overview and five)",
        };
        let (_, tokens) = row(name, &text[at..]);
        assert!(
            (1..=3 * 1024).contains(&bytes) && tokens < 800,
            "{done}: {bytes}, {tokens}"
        );
    }
    let made = ["followup", &beads[0], "Handle tabs", "--json"];
    let made = town.gt(made).ok().json();
    let (bytes, text) = part(made["bead"].as_str().unwrap(), "followup");
    let at = text.find("# What this follows up").unwrap();
    let (_, tokens) = row("follow-up on one bead with one commit", &text[at..]);
    assert!(
        (1..=4 * 1024).contains(&bytes) && tokens < 500,
        "{bytes}, {tokens}"
    );
}
