use super::*;

fn build_decision(forbidden: &str, constraints: &str) -> Decision {
    let text = format!(
        "keeper_decision:\n  id: ADR-017\n  allow: [profile sidebar]\n  forbidden: {forbidden}\n  constraints: {constraints}\n"
    );
    Decision::parse(&text).unwrap()
}

fn changed_file(path: &str, old: &str, new: &str) -> ChangedFile {
    ChangedFile {
        path: path.to_owned(),
        old: old.to_owned(),
        new: new.to_owned(),
    }
}

fn list_findings(outcome: &ValidationOutcome) -> Vec<String> {
    let line = |finding: &Finding| {
        format!(
            "{}:{} [{}] {}",
            finding.file, finding.line, finding.rule, finding.what
        )
    };
    outcome.findings.iter().map(line).collect()
}

#[test]
fn a_finding_names_rule_file_and_line() {
    let decision = build_decision(
        "[new modal components, {rule: nothing old, path: legacy/**}, {rule: no eval, text: eval(}, be kind]",
        "[ui-extend, rest-shape, speak well, no-such-code]",
    );
    let files = [
        changed_file(
            "src/M.tsx",
            "",
            "import x\nexport function ProfileModal() {}\nexport function ProfileSidebar() {}\n",
        ),
        changed_file("legacy/a.c", "x", "y"),
        changed_file(
            "src/r.ts",
            "a(1)\n",
            "a(1)\nrouter.post('/api/createUser', f)\neval(a)\nrouter.get('/api/users/:id', g)\n",
        ),
    ];
    let outcome = check_change(&decision, &[], &[], &files);
    assert_eq!(
        list_findings(&outcome),
        [
            "legacy/a.c:1 [nothing old] is changed",
            "src/M.tsx:2 [new modal components] defines component ProfileModal",
            "src/M.tsx:2 [ui-extend] defines component ProfileModal",
            "src/r.ts:2 [rest-shape] defines route /api/createUser",
            "src/r.ts:3 [no eval] adds `eval(`",
        ]
    );
    assert!(!outcome.is_passed());
    assert_eq!(
        outcome.notes,
        [
            "only a user can check: be kind",
            "only a user can check: speak well",
            "no constraint is called no-such-code"
        ]
    );
}

#[test]
fn moved_allowed_or_overridden_code_breaks_no_rule() {
    let decision = build_decision("[new modal components]", "[no-new-seeds, data-append]");
    let moved = [
        changed_file("a.tsx", "export function Modal() {}\n", ""),
        changed_file("b.tsx", "", "export function Modal() {}\n"),
        changed_file("t.ts", "", "export enum Tier { A }\n"),
    ];
    assert_eq!(
        list_findings(&check_change(&decision, &[], &[], &moved)),
        ["t.ts:1 [no-new-seeds] defines enum Tier"]
    );
    let allowed = parse_overrides("keeper: ADR-017\noverride:\n  allow: [new-enum]\n");
    assert!(check_change(&decision, &allowed, &[], &moved).is_passed());
    assert!(parse_overrides("keeper: x").is_empty() && parse_overrides("a: [").is_empty());
}

#[test]
fn a_waiver_lets_a_finding_pass_and_is_reported() {
    let decision = build_decision("[new modal components]", "[auth-reuse]");
    let files = [
        changed_file("M.tsx", "", "export const LoginModal = () => 1\n"),
        changed_file("N.tsx", "", "export const OtherModal = () => 1\n"),
    ];
    let mut waiver = Waiver {
        adr: "ADR-017".to_owned(),
        rule: "new-modal-components".to_owned(),
        file: "M.tsx".to_owned(),
        reason: "agreed".to_owned(),
        by: "Dana".to_owned(),
    };
    let outcome = check_change(&decision, &[], std::slice::from_ref(&waiver), &files);
    assert_eq!(outcome.findings[0].waived.as_deref(), Some("agreed (Dana)"));
    assert!(!outcome.is_passed(), "the other file is not covered");
    waiver.file = String::new();
    assert!(check_change(&decision, &[], &[waiver], &files).is_passed());
}

#[test]
fn invalid_front_matter_is_an_error_only_if_it_names_a_decision() {
    let root = Path::new("/");
    let load = |front_matter| load_decision_of_change(root, "", front_matter);
    assert!(load("title: Fix: parser").unwrap().is_none());
    assert!(load("title: Fix: parser\nkeeper: ADR-001").is_err());
}
