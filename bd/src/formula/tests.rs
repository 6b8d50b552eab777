//! Cooking, on formulas in a folder.

use std::fs;

use proptest::prelude::*;

use super::vars::VarValues;
use super::{FormulaError, FormulaSearchPath, FormulaStep, cook_named};

/// A folder of formulas. Its subfolder `over` holds the overlays.
struct FormulaFolder {
    keep: tempfile::TempDir,
}

impl FormulaFolder {
    fn new(files: &[(&str, &str)]) -> Self {
        let keep = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = keep.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self { keep }
    }

    fn shelf(&self) -> FormulaSearchPath {
        FormulaSearchPath {
            folders: vec![self.keep.path().to_owned()],
            overlays: vec![self.keep.path().join("over")],
            cwd: self.keep.path().to_owned(),
            has_built_in: false,
        }
    }

    fn steps(&self, name: &str) -> Vec<FormulaStep> {
        self.steps_with(name, &[])
    }

    fn steps_with(&self, name: &str, values: &[(&str, &str)]) -> Vec<FormulaStep> {
        let values: VarValues = values
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let cooked = cook_named(&self.shelf(), name, &values);
        cooked
            .unwrap_or_else(|error| panic!("{error}"))
            .formula
            .steps
    }

    fn refused(&self, name: &str) -> String {
        cook_named(&self.shelf(), name, &VarValues::new())
            .expect_err("it is refused")
            .to_string()
    }
}

/// Formats every step as `id<-need,need`, in order.
fn format_steps(steps: &[FormulaStep]) -> Vec<String> {
    let mut lines = Vec::new();
    for step in steps {
        let needs: Vec<&str> = step.before().collect();
        lines.push(format!("{}<-{}", step.id, needs.join(",")));
        lines.extend(
            format_steps(&step.children)
                .into_iter()
                .map(|line| format!(" {line}")),
        );
    }
    lines
}

fn workflow_text(steps: &str) -> String {
    format!("formula = \"f\"\n{steps}")
}

fn step_text(id: &str, more: &str) -> String {
    format!("[[steps]]\nid = \"{id}\"\ntitle = \"{id}\"\n{more}\n")
}

#[test]
fn case_81_and_daemon_case_161_circular_extends_name_the_chain_and_nested_ids_are_checked() {
    let folder = FormulaFolder::new(&[
        ("a.formula.toml", "formula = \"a\"\nextends = [\"b\"]\n"),
        ("b.formula.toml", "formula = \"b\"\nextends = [\"a\"]\n"),
        (
            "f.formula.toml",
            &workflow_text(
                "[[steps]]\nid = \"p\"\ntitle = \"P\"\n[[steps.children]]\nid = \"c\"\ntitle = \"C\"\nneeds = [\"gone\"]\n",
            ),
        ),
        (
            "d.formula.toml",
            "formula = \"d\"\n[[steps]]\nid = \"p\"\ntitle = \"P\"\n[[steps.children]]\nid = \"q\"\ntitle = \"C\"\n[[steps]]\nid = \"q\"\ntitle = \"Q\"\n",
        ),
    ]);
    assert_eq!(
        folder.refused("a"),
        "circular extends detected: a -> b -> a"
    );
    let unknown = folder.refused("f");
    assert!(
        unknown.contains("f.formula.toml:8: step \"c\": needs names the unknown step \"gone\""),
        "{unknown}"
    );
    let twice = folder.refused("d");
    assert!(
        twice.contains("d.formula.toml:9: step \"q\": duplicate step id, first on line 6"),
        "{twice}"
    );
}

#[test]
fn case_82_nested_loops_are_chained_and_keep_outside_dependencies() {
    let text = r#"
formula = "f"
[[steps]]
id = "setup"
title = "Setup"
[[steps]]
id = "outer"
needs = ["setup"]
[steps.loop]
range = "3..4"
var = "n"
[[steps.loop.body]]
id = "mid"
[steps.loop.body.loop]
count = 2
[[steps.loop.body.loop.body]]
id = "inner"
[steps.loop.body.loop.body.loop]
range = "1..1"
[[steps.loop.body.loop.body.loop.body]]
id = "do"
title = "Do {n} of {{what}}"
needs = ["setup"]
[[steps]]
id = "end"
title = "End"
needs = ["outer"]
"#;
    let steps = FormulaFolder::new(&[("f.formula.toml", text)]).steps("f");
    assert_eq!(
        format_steps(&steps),
        [
            "setup<-",
            "outer.iter1.mid.iter1.inner.iter1.do<-setup",
            "outer.iter1.mid.iter2.inner.iter1.do<-setup,outer.iter1.mid.iter1.inner.iter1.do",
            "outer.iter2.mid.iter1.inner.iter1.do<-setup,outer.iter1.mid.iter2.inner.iter1.do",
            "outer.iter2.mid.iter2.inner.iter1.do<-setup,outer.iter2.mid.iter1.inner.iter1.do",
            "end<-outer.iter2.mid.iter2.inner.iter1.do",
        ]
    );
    assert_eq!(steps[1].title, "Do 3 of {{what}}");
    let wrong = text.replace("3..4", "4..3");
    let error = FormulaFolder::new(&[("f.formula.toml", &wrong)]).refused("f");
    assert!(
        error.contains("step \"outer\": range 4..3 ends before it starts"),
        "{error}"
    );
}

#[test]
fn ranges_use_the_values_of_variables() {
    let text = "formula = \"f\"\n[vars]\ndisks = \"2\"\n[[steps]]\nid = \"move\"\n[steps.loop]\nrange = \"1..2^{disks}-1\"\nvar = \"n\"\n[[steps.loop.body]]\nid = \"m\"\ntitle = \"Move {n}\"\n";
    let folder = FormulaFolder::new(&[("f.formula.toml", text)]);
    assert_eq!(folder.steps("f").len(), 3);
    assert_eq!(folder.steps_with("f", &[("disks", "5")]).len(), 31);
}

#[test]
fn loops_branches_and_gates_become_labels_and_edges() {
    let text = workflow_text(&format!(
        "{}{}{}{}[[steps]]\nid = \"try\"\n[steps.loop]\nuntil = \"step.status == 'complete'\"\nmax = 5\n[[steps.loop.body]]\nid = \"go\"\ntitle = \"Go\"\n[[compose.branch]]\nfrom = \"a\"\nsteps = [\"b\", \"c\"]\njoin = \"d\"\n[[compose.gate]]\nbefore = \"d\"\ncondition = \"steps.complete >= 3\"\n",
        step_text("a", ""),
        step_text("b", ""),
        step_text("c", ""),
        step_text("d", "")
    ));
    let steps = FormulaFolder::new(&[("f.formula.toml", &text)]).steps("f");
    assert_eq!(
        format_steps(&steps),
        ["a<-", "b<-a", "c<-a", "d<-b,c", "try.iter1.go<-"]
    );
    assert_eq!(
        steps[3].labels,
        ["gate:{\"condition\":\"steps.complete >= 3\"}"]
    );
    assert_eq!(
        steps[4].labels,
        ["loop:{\"max\":5,\"until\":\"step.status == 'complete'\"}"]
    );
}

const RULE: &str = "formula = \"five\"\ntype = \"expansion\"\n[vars]\nhow = \"well\"\n[[template]]\nid = \"{target}.draft\"\ntitle = \"Draft {target.title} {how} {{how}}\"\n[[template]]\nid = \"{target}.check\"\ntitle = \"Check\"\nneeds = [\"{target}.draft\"]\n";

#[test]
fn an_expansion_replaces_its_step_and_inherits_its_needs() {
    let base = format!(
        "{}{}{}",
        step_text("a", ""),
        step_text("b", "needs = [\"a\"]"),
        step_text("c", "needs = [\"b\"]")
    );
    let inline = base.replace("id = \"b\"", "id = \"b\"\nexpand = \"five\"");
    let composed = format!(
        "{base}[[compose.expand]]\ntarget = \"b\"\nwith = \"five\"\nvars = {{ how = \"best\" }}\n"
    );
    let mapped = format!("{base}[[compose.map]]\nselect = \"[bc]\"\nwith = \"five\"\n");
    let folder = FormulaFolder::new(&[
        ("five.formula.toml", RULE),
        (
            "inline.formula.toml",
            &format!("formula = \"inline\"\n{inline}"),
        ),
        (
            "composed.formula.toml",
            &format!("formula = \"composed\"\n{composed}"),
        ),
        (
            "mapped.formula.toml",
            &format!("formula = \"mapped\"\n{mapped}"),
        ),
    ]);
    let wanted = ["a<-", "b.draft<-a", "b.check<-b.draft", "c<-b.check"];
    assert_eq!(format_steps(&folder.steps("inline")), wanted);
    let steps = folder.steps("composed");
    assert_eq!(format_steps(&steps), wanted);
    assert_eq!(steps[1].title, "Draft b best {{how}}");
    assert_eq!(
        format_steps(&folder.steps("mapped")),
        [
            "a<-",
            "b.draft<-a",
            "b.check<-b.draft",
            "c.draft<-b.check",
            "c.check<-c.draft"
        ]
    );
}

#[test]
fn an_expansion_that_contains_itself_is_refused() {
    let folder = FormulaFolder::new(&[
        (
            "x.formula.toml",
            "formula = \"x\"\ntype = \"expansion\"\n[[template]]\nid = \"{target}.x\"\ntitle = \"X\"\nexpand = \"x\"\n",
        ),
        (
            "f.formula.toml",
            &workflow_text(&step_text("a", "expand = \"x\"")),
        ),
    ]);
    let error = folder.refused("f");
    assert!(
        error.contains("the expansion contains itself: x -> x"),
        "{error}"
    );
}

#[test]
fn expansions_that_swap_names_terminate_and_growing_ones_are_refused() {
    let swap = "formula = \"ex\"\ntype = \"expansion\"\n[vars]\no = \"x\"\n[[template]]\nid = \"{o}\"\ntitle = \"T\"\n";
    let steps = format!(
        "[[steps]]\nid = \"a\"\nexpand = \"ex\"\nexpand_vars = {{ o = \"b\" }}\n[[steps]]\nid = \"b\"\nexpand = \"ex\"\nexpand_vars = {{ o = \"a\" }}\n{}",
        step_text("c", "needs = [\"a\"]")
    );
    let mut files = vec![
        ("ex.formula.toml".to_owned(), swap.to_owned()),
        ("f.formula.toml".to_owned(), workflow_text(&steps)),
        (
            "g.formula.toml".to_owned(),
            format!("formula = \"g\"\n{}", step_text("a", "expand = \"e0\"")),
        ),
    ];
    for level in 0..4 {
        let expand = if level < 3 {
            format!("expand = \"e{}\"\n", level + 1)
        } else {
            String::new()
        };
        let template: String = (0..60)
            .map(|n| format!("[[template]]\nid = \"{{target}}.{n}\"\ntitle = \"T\"\n{expand}"))
            .collect();
        files.push((
            format!("e{level}.formula.toml"),
            format!("formula = \"e{level}\"\ntype = \"expansion\"\n{template}"),
        ));
    }
    for level in 0..30 {
        let text = format!(
            "formula = \"x{level}\"\nextends = [\"x{0}\", \"x{0}\"]\n{1}",
            level + 1,
            step_text(&format!("s{level}"), "")
        );
        files.push((format!("x{level}.formula.toml"), text));
    }
    files.push((
        "x30.formula.toml".to_owned(),
        format!("formula = \"x30\"\n{}", step_text("last", "")),
    ));
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let folder = FormulaFolder::new(&files);
    assert_eq!(folder.steps("f").len(), 3);
    assert!(folder.refused("g").contains("more than 20000 steps"));
    assert_eq!(folder.steps("x0").len(), 31, "a parent of two comes once");
}

#[test]
fn advice_wraps_steps_but_never_itself() {
    let aspect = "formula = \"scan\"\ntype = \"aspect\"\n[[advice]]\ntarget = \"*\"\n[[advice.around.before]]\nid = \"{step.id}-pre\"\ntitle = \"Scan before {step.title}\"\n[[advice.around.after]]\nid = \"{step.id}-post\"\ntitle = \"Scan after\"\n";
    let folder = FormulaFolder::new(&[
        ("scan.formula.toml", aspect),
        (
            "f.formula.toml",
            &workflow_text(&format!(
                "{}[compose]\naspects = [\"scan\"]\n",
                step_text("a", "")
            )),
        ),
    ]);
    let steps = folder.steps("f");
    assert_eq!(format_steps(&steps), ["a-pre<-", "a<-a-pre", "a-post<-a"]);
    assert_eq!(steps[0].title, "Scan before a");
}

#[test]
fn a_formula_that_extends_another_keeps_its_own_values() {
    let parent = format!(
        "formula = \"p\"\nphase = \"vapor\"\n[vars]\nx = \"parent\"\ny = \"parent\"\n{}",
        step_text("a", "")
    );
    let child = format!(
        "formula = \"c\"\nextends = [\"p\"]\n[vars]\nx = \"child\"\n{}[[advice]]\ntarget = \"b\"\n[advice.before]\nid = \"b0\"\ntitle = \"B0\"\n",
        step_text("b", "needs = [\"a\"]")
    );
    let folder = FormulaFolder::new(&[("p.formula.toml", &parent), ("c.formula.toml", &child)]);
    assert_eq!(format_steps(&folder.steps("c")), ["a<-", "b0<-", "b<-a,b0"]);
    let formula = cook_named(&folder.shelf(), "c", &VarValues::new())
        .unwrap()
        .formula;
    assert_eq!(formula.phase, "vapor");
    assert_eq!(formula.vars["x"].default.as_deref(), Some("child"));
    assert_eq!(formula.vars["y"].default.as_deref(), Some("parent"));
}

#[test]
fn an_overlay_replaces_appends_and_skips() {
    let base = format!(
        "{}{}{}",
        step_text("a", ""),
        step_text("b", "needs = [\"a\"]\ndescription = \"B\""),
        step_text("c", "needs = [\"b\"]\ndescription = \"C\"")
    );
    let overlay = "[[step-overrides]]\nstep_id = \"b\"\nmode = \"skip\"\n[[step-overrides]]\nstep_id = \"c\"\nmode = \"append\"\ndescription = \"and more\"\n[[step-overrides]]\nstep_id = \"gone\"\nmode = \"replace\"\n[[step-overrides]]\nstep_id = \"a\"\nmode = \"replace\"\ndescription = \"A new\"\n";
    let folder = FormulaFolder::new(&[
        ("f.formula.toml", &workflow_text(&base)),
        ("over/f.toml", overlay),
    ]);
    let cooked = cook_named(&folder.shelf(), "f", &VarValues::new()).unwrap();
    let steps = cooked.formula.steps;
    assert_eq!(format_steps(&steps), ["a<-", "c<-a"]);
    assert_eq!(steps[0].description, "A new");
    assert_eq!(steps[1].description, "C\n\nand more");
    assert!(
        cooked.warnings[0].to_string().contains("step \"gone\""),
        "{:?}",
        cooked.warnings
    );
}

#[test]
fn a_skipped_step_passes_its_needs_on() {
    let base = format!(
        "{}{}{}",
        step_text("a", ""),
        step_text("b", "needs = [\"a\"]\ncondition = \"{{deep}}\""),
        step_text("c", "needs = [\"b\"]")
    );
    let folder = FormulaFolder::new(&[("f.formula.toml", &workflow_text(&base))]);
    let formula = cook_named(&folder.shelf(), "f", &VarValues::new())
        .unwrap()
        .formula;
    let chosen = |values: &VarValues| {
        let mut steps = formula.steps.clone();
        super::cook::choose_steps(&mut steps, values);
        steps
    };
    assert_eq!(format_steps(&chosen(&VarValues::new())), ["a<-", "c<-a"]);
    let deep = VarValues::from_iter([("deep".to_owned(), "yes".to_owned())]);
    assert_eq!(chosen(&deep).len(), 3);
}

#[test]
fn versions_can_be_pinned() {
    let old = format!("formula = \"f\"\nversion = 3\n{}", step_text("old", ""));
    let new = format!("formula = \"f\"\nversion = 4\n{}", step_text("new", ""));
    let folder = FormulaFolder::new(&[("f.formula.toml", &new), ("f@3.formula.toml", &old)]);
    assert_eq!(format_steps(&folder.steps("f")), ["new<-"]);
    assert_eq!(format_steps(&folder.steps("f@4.0.0")), ["new<-"]);
    assert_eq!(format_steps(&folder.steps("f@3")), ["old<-"]);
    assert!(matches!(
        cook_named(&folder.shelf(), "f@9", &VarValues::new()),
        Err(FormulaError::NoVersion { .. })
    ));
}

/// Formulas with an error, each with a part of the expected message.
fn bad_formulas() -> Vec<(String, &'static str)> {
    let ok = step_text("a", "");
    vec![
        ("[[steps]]\nid = \"a\"\n".into(), "it has no title"),
        ("[[steps]]\ntitle = \"A\"\n".into(), "has no id"),
        (format!("{ok}{ok}"), "f.formula.toml:7: step \"a\": duplicate step id, first on line 3"),
        (step_text("a", "priority = 9"), "f.formula.toml:5: step \"a\": priority must be 0 to 4"),
        (step_text("a", "priority = \"high\""), "priority: invalid type"),
        (step_text("a", "waits_for = \"all\""), "use all-children, any-children or children-of(STEP)"),
        (step_text("a", "needs = [\"a\"]"), "it needs itself"),
        (format!("{ok}{}", step_text("b", "needs = [\"aa\"]")), "unknown step \"aa\": did you mean \"a\"?"),
        (
            format!("{}{}", step_text("a", "needs = [\"b\"]"), step_text("b", "needs = [\"a\"]")),
            "dependency cycle: a → b → a",
        ),
        (step_text("a", "gate = { type = \"moon\" }"), "gate type \"moon\": use one of human"),
        (step_text("a", "gate = { type = \"timer\" }"), "a timer gate needs timeout"),
        (step_text("a", "gate = { type = \"bead\", id = \"x\" }"), "needs id = \"RIG:BEAD\""),
        (step_text("a b", ""), "the id has white space"),
        (
            format!("[vars]\nchannel = \"x\"\n{}", step_text("a", "description = \"{{chanel}}\"")),
            "{{chanel}} is no variable: did you mean {{channel}}?",
        ),
        (
            format!("[vars]\ntranslate = \"x\"\n{}", step_text("a", "condition = \"{{translat}}\"")),
            "{{translat}} is no variable",
        ),
        (
            format!("[vars.deep]\ntype = \"bool\"\ndefault = \"no\"\n{ok}"),
            "the default of variable deep is not true or false",
        ),
        (step_text("a", "condition = \"x > 3\""), "condition \"x > 3\": use {{name}}"),
        (step_text("a", "neds = []"), "unknown key \"neds\": did you mean \"needs\"?"),
        (
            "[[steps]]\nid = \"a\"\nloop = { count = 2000000000, body = [{ id = \"x\", title = \"X\" }] }\n".into(),
            "more than 20000 steps",
        ),
        ("[[steps]]\nid = \"a\"\nloop = { count = 2, body = [] }\n".into(), "a loop needs a body"),
        (
            "[[steps]]\nid = \"a\"\nloop = { count = 2, range = \"1..2\", body = [{ id = \"x\", title = \"X\" }] }\n".into(),
            "exactly one of count, range, or until",
        ),
        (format!("[vars.x]\npattern = \"(\"\n{ok}"), "no regular expression"),
        (format!("[vars.x]\nenum = [\"a\"]\ndefault = \"b\"\n{ok}"), "the default \"b\" of variable x is none of a"),
        (format!("[vars.x]\ntype = \"moon\"\n{ok}"), "unknown type \"moon\""),
        (String::new(), "needs [[steps]]"),
        (format!("extends = [\"../evil\"]\n{ok}"), "\"../evil\" is no formula name"),
        (format!("version = 0\n{ok}"), "use a whole number from 1"),
        ("[[steps]\nid = 3".into(), "f.formula.toml:2: not valid TOML"),
        (step_text("a", "expand = \"gone\""), "cannot expand: formula \"gone\" not found"),
        (format!("type = \"moon\"\n{ok}"), "unknown variant `moon`"),
        (
            format!("{ok}[[compose.gate]]\nbefore = \"a\"\ncondition = \"later\"\n"),
            "\"later\" is no condition",
        ),
        (
            "[[steps]]\nid = \"p\"\ntitle = \"P\"\nneeds = [\"c\"]\n[[steps.children]]\nid = \"c\"\ntitle = \"C\"\n".into(),
            "dependency cycle",
        ),
    ]
}

#[test]
fn daemon_case_160_invalid_formulas_are_refused_with_a_fix() {
    let table = bad_formulas();
    for (text, wanted) in table {
        let error = FormulaFolder::new(&[("f.formula.toml", &workflow_text(&text))]).refused("f");
        assert!(error.contains(wanted), "{text}\n{error}");
    }
    for name in ["../f", "a/../b", "", ".f"] {
        let error = FormulaFolder::new(&[]).refused(name);
        assert!(error.contains("is no formula name"), "{name}: {error}");
    }
}

/// A formula whose steps may need any other step.
fn any_formula() -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::collection::vec(0usize..8, 0..3), 1..8).prop_map(|needs| {
        let count = needs.len();
        let steps = needs.iter().enumerate().map(|(number, needs)| {
            let list: Vec<String> = needs
                .iter()
                .map(|need| format!("\"s{}\"", need % count))
                .collect();
            step_text(
                &format!("s{number}"),
                &format!("needs = [{}]", list.join(", ")),
            )
        });
        workflow_text(&steps.collect::<String>())
    })
}

proptest! {
    #[test]
    fn cooking_is_deterministic_and_its_result_has_no_circle(text in any_formula()) {
        let folder = FormulaFolder::new(&[("f.formula.toml", &text)]);
        let (first, second) = (
            cook_named(&folder.shelf(), "f", &VarValues::new()),
            cook_named(&folder.shelf(), "f", &VarValues::new()),
        );
        match (first, second) {
            (Ok(first), Ok(second)) => {
                prop_assert_eq!(&first.formula, &second.formula);
                let mut done: Vec<&str> = Vec::new();
                let steps = first.formula.every_step();
                while done.len() < steps.len() {
                    let next = steps.iter().find(|step| {
                        !done.contains(&step.id.as_str())
                            && step.before().all(|need| done.contains(&need))
                    });
                    prop_assert!(next.is_some(), "a circle was accepted: {}", text);
                    done.extend(next.map(|step| step.id.as_str()));
                }
            }
            (Err(first), Err(second)) => {
                prop_assert_eq!(first.to_string(), second.to_string());
                let text = first.to_string();
                prop_assert!(text.contains("dependency cycle") || text.contains("needs itself"));
            }
            _ => prop_assert!(false, "two answers"),
        }
    }
}

#[test]
fn iterations_of_several_steps_come_one_after_the_other() {
    let body = |id: &str, needs: &str| {
        format!("[[steps.loop.body]]\nid = \"{id}\"\ntitle = \"T\"\n{needs}\n")
    };
    let text = workflow_text(&format!(
        "{}[[steps]]\nid = \"l\"\nneeds = [\"a\"]\n[steps.loop]\ncount = 2\n{}{}{}{}",
        step_text("a", ""),
        body("x", ""),
        body("y", ""),
        body("z", "needs = [\"x\"]"),
        step_text("end", "needs = [\"l\"]")
    ));
    let steps = FormulaFolder::new(&[("f.formula.toml", &text)]).steps("f");
    assert_eq!(
        format_steps(&steps),
        [
            "a<-",
            "l.iter1.x<-a",
            "l.iter1.y<-a",
            "l.iter1.z<-l.iter1.x",
            "l.iter2.x<-l.iter1.y,l.iter1.z",
            "l.iter2.y<-l.iter1.y,l.iter1.z",
            "l.iter2.z<-l.iter2.x",
            "end<-l.iter2.y,l.iter2.z"
        ]
    );
}

#[test]
fn several_pieces_of_advice_on_one_step_are_chained() {
    let advice = |name: &str| {
        format!(
            "[[advice]]\ntarget = \"a\"\n[advice.before]\nid = \"{{step.id}}-pre-{name}\"\n[advice.after]\nid = \"{{step.id}}-post-{name}\"\n"
        )
    };
    let aspect = format!("formula = \"more\"\ntype = \"aspect\"\n{}", advice("3"));
    let text = workflow_text(&format!(
        "{}{}{}[compose]\naspects = [\"more\"]\n",
        step_text("a", ""),
        advice("1"),
        advice("2")
    ));
    let folder = FormulaFolder::new(&[("f.formula.toml", &text), ("more.formula.toml", &aspect)]);
    let mut steps = format_steps(&folder.steps("f"));
    steps.sort();
    assert_eq!(
        steps,
        [
            "a-post-1<-a",
            "a-post-2<-a-post-1",
            "a-post-3<-a-post-2",
            "a-pre-1<-",
            "a-pre-2<-a-pre-1",
            "a-pre-3<-a-pre-2",
            "a<-a-pre-2,a-pre-3"
        ]
    );
}

#[test]
fn a_bond_point_on_an_unknown_step_is_refused() {
    let point = |step: &str| {
        let point = format!("[[compose.bond_points]]\nid = \"p\"\nafter_step = \"{step}\"\n");
        workflow_text(&(step_text("build", "") + &point))
    };
    let folder = FormulaFolder::new(&[("f.formula.toml", &point("biuld"))]);
    let error = folder.refused("f");
    assert!(
        error
            .contains("bond point \"p\" names the unknown step \"biuld\": did you mean \"build\"?"),
        "{error}"
    );
    let folder = FormulaFolder::new(&[("f.formula.toml", &point("build"))]);
    assert_eq!(folder.steps("f").len(), 1);
}

#[test]
fn the_labels_of_a_replaced_step_pass_on() {
    let text = workflow_text(&step_text("b", "labels = [\"area:ui\"]\nexpand = \"five\""));
    let folder = FormulaFolder::new(&[("five.formula.toml", RULE), ("f.formula.toml", &text)]);
    for step in folder.steps("f") {
        assert_eq!(step.labels, ["area:ui"], "{}", step.id);
    }
}
