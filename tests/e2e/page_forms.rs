//! The forms of the page: the conversation with an agent, and settings.

use serde_json::json;
use town_tests::browser::Browser;
use town_tests::showcase::Showcase;
use town_tests::{Town, eventually};

/// Writes to the mayor, who does not run, and to a worker, and reads the answer.
pub(crate) fn check_conversation(browser: &mut Browser, showcase: &Showcase) {
    let town = &showcase.worker.town;
    let field = "document.querySelector('.writing textarea')";
    let write = |text: &str| {
        let text = json!(text);
        format!("{field}.value = {text}; {field}.dispatchEvent(new Event('input'))")
    };
    let enter = format!(
        "{field}.dispatchEvent(new KeyboardEvent('keydown', {{ key: 'Enter', bubbles: true }}))"
    );
    browser.visit("#/agent/mayor");
    browser.wait_for("No session of mayor runs");
    browser.wait_for("gt mayor start");
    // An unsent text survives.
    let question = "Plan the release <b>\u{1b}[31m\nand the notes";
    browser.evaluate(&write(question));
    browser.evaluate("window.isOld = true; location.reload()");
    eventually("the unsent text", || {
        let found = format!("window.isOld ? null : {field}?.value");
        (browser.evaluate_if_loaded(&found)? == question).then_some(())
    });
    browser.evaluate(&enter);
    browser.wait_for("waits in the mailbox of mayor/");
    browser.wait_for("not read yet");
    assert_eq!(browser.evaluate(&format!("{field}.value")), "");
    let inbox = town.gt(["mail", "inbox", "mayor/", "--json"]).ok().json();
    let sent = inbox
        .as_array()
        .unwrap()
        .iter()
        .find(|mail| mail["body"] == question);
    assert_eq!(sent.unwrap()["from"], "overseer", "{inbox}");
    let answer = ["mail", "send", "overseer", "-s", "Planned", "-m", "It is."];
    town.gt(answer).env("GT_ROLE", "mayor").ok();
    eventually("the answer below the question", || {
        let texts =
            "[...document.querySelectorAll('[role=log] pre')].map((text) => text.textContent)";
        let texts = browser.evaluate(texts);
        let texts = texts.as_array().unwrap();
        let place = |part: &str| {
            texts
                .iter()
                .position(|text| text.as_str().unwrap().contains(part))
        };
        (place("and the notes")? < place("Planned")?).then_some(())
    });
    check_lost_answer(browser, &write, &enter);
    let inbox = town.gt(["mail", "inbox", "mayor/", "--json"]).ok().json();
    let sent = inbox.as_array().unwrap().iter();
    let count = sent.filter(|mail| mail["subject"] == "Once").count();
    assert_eq!(count, 1, "{inbox}");
    // The conversation of a worker has its session, too.
    let agent = showcase.agent.replace('/', "%2F");
    browser.visit(&format!("#/agent/{agent}"));
    browser.wait_for("I look for the callers.");
    browser.evaluate(&write("Keep the renderer small"));
    browser.evaluate(&enter);
    browser.wait_for(&format!("is sent to {}", showcase.worker.name));
    browser.wait_for(&format!("you to {}", showcase.worker.name));
}

/// Sends a message twice, because the answer to the first sending is lost. The view is left and a text
/// is added while the second one is on its way.
fn check_lost_answer(browser: &mut Browser, write: &dyn Fn(&str) -> String, enter: &str) {
    let field = "document.querySelector('.writing textarea')";
    let intercept = |after: &str| {
        format!(
            "(() => {{ const real = window.fetch; window.fetch = async (...args) => {{ const answer = await real(...args); if (args[0] !== '/api/act') return answer; window.fetch = real; {after} }}; }})()"
        )
    };
    browser.evaluate(&intercept("throw new Error('cut off')"));
    browser.evaluate(&write("Once"));
    browser.evaluate(enter);
    browser.wait_for("The daemon does not answer: cut off");
    assert_eq!(browser.evaluate(&format!("{field}.value")), "Once");
    let wait = "await new Promise((go) => { window.goOn = go; }); return answer;";
    browser.evaluate(&intercept(wait));
    browser.evaluate(enter);
    eventually("the second sending", || {
        (browser.evaluate("typeof window.goOn") == "function").then_some(())
    });
    browser.visit("#/mail");
    browser.wait_for("Planned");
    browser.visit("#/agent/mayor");
    browser.wait_for("gt mayor start");
    // The first sending has not ended.
    browser.evaluate(enter);
    browser.evaluate(&write("Once\nAnd more"));
    browser.evaluate("window.goOn()");
    browser.wait_for("waits in the mailbox of mayor/");
    eventually("the added text stays", || {
        (browser.evaluate(&format!("{field}.value")) == "And more").then_some(())
    });
    browser.evaluate(&write(""));
}

/// Changes settings in forms of the page, and tries those that only a shell changes.
pub(crate) fn check_settings(browser: &mut Browser, town: &Town) {
    let get = |scope: &[&str], key: &str| {
        let words = ["config", "get"].iter().chain(scope).copied();
        town.gt(words).args([key]).ok().out.trim().to_owned()
    };
    let press = |label: &str| format!("document.querySelector('[aria-label=\"{label}\"]').click()");
    let send = |value: &str| {
        format!(
            "document.querySelector('dialog textarea').value = '{value}'; document.querySelector('dialog .yes').click()"
        )
    };
    browser.evaluate(&press("Change budget.day"));
    let dialog = "[document.querySelector('dialog p').textContent, document.querySelector('dialog textarea').value]";
    let dialog = browser.evaluate(dialog);
    let question = dialog[0].as_str().unwrap();
    assert!(
        question.contains("town/settings/config.json, the town's layer")
            && question.ends_with("It is 7 there now."),
        "{question}"
    );
    assert_eq!(dialog[1], "7");
    browser.evaluate(&send("8"));
    browser.wait_for("budget.day = 8");
    assert_eq!(get(&["--town"], "budget.day"), "8");
    // A value that someone else has changed is not overwritten.
    browser.evaluate(&press("Change budget.day"));
    town.gt(["config", "set", "--town", "budget.day", "9"]).ok();
    browser.evaluate(&send("10"));
    browser.wait_for("was changed in the meantime, and is 9 now");
    assert_eq!(get(&["--town"], "budget.day"), "9");
    browser.wait_for("budget.day = 9");
    // The page takes no limit away.
    let yes = "document.querySelector('dialog .yes').click()";
    browser.evaluate(&press("Unset budget.day"));
    browser.evaluate(yes);
    browser.wait_for("gt config unset --town budget.day");
    assert_eq!(get(&["--town"], "budget.day"), "9");
    town.gt(["config", "unset", "--town", "budget.day"]).ok();
    browser.evaluate(&press("Change budget.convoy_band"));
    browser.evaluate(&send("3"));
    browser.wait_for("budget.convoy_band = 3");
    let unset = "document.querySelector('[aria-label=\"Unset budget.convoy_band\"]') !== null";
    eventually("the row with the new value", || {
        (browser.evaluate(unset) == true).then_some(())
    });
    browser.evaluate(&press("Unset budget.convoy_band"));
    browser.evaluate(yes);
    browser.wait_for("budget.convoy_band is no longer set");
    // Commands are changed in a shell only, also if the request does not come from a form.
    let gate = "[...document.querySelectorAll('button')].some((button) => button.ariaLabel?.includes('_command'))";
    assert_eq!(browser.evaluate(gate), false);
    browser.wait_for("gt config set --town merge_queue.test_command VALUE");
    let change = json!({ "act": "set_setting", "value": "touch owned",
        "setting": { "key": "merge_queue.test_command", "rig": "web", "stored": null } });
    let forged = format!(
        "fetch('/api/act', {{ method: 'POST', body: JSON.stringify({change}), headers: {{ 'x-gastown-key': localStorage.getItem('key'), 'content-type': 'application/json' }} }}).then(async (answer) => [answer.status, await answer.text()])"
    );
    let refused = browser.evaluate(&forged);
    let reason = refused[1].as_str().unwrap();
    assert_eq!(refused[0], 422, "{reason}");
    assert!(
        reason.contains("gt config set --rig web merge_queue.test_command VALUE"),
        "{reason}"
    );
    assert_eq!(get(&["--rig", "web"], "merge_queue.test_command"), "");
    // A rig's settings go to its own file.
    browser.visit("#/settings/web");
    browser.wait_for("Settings of rig web");
    browser.evaluate(&press("Change merge_queue.strategy"));
    let question = browser.evaluate("document.querySelector('dialog p').textContent");
    let question = question.as_str().unwrap();
    assert!(
        question.contains("web/settings/config.json, the rig's layer"),
        "{question}"
    );
    browser.evaluate("document.querySelector('dialog select').value = 'squash'; document.querySelector('dialog .yes').click()");
    browser.wait_for("merge_queue.strategy = squash");
    assert_eq!(get(&["--rig", "web"], "merge_queue.strategy"), "squash");
    assert_eq!(get(&["--town"], "merge_queue.strategy"), "rebase");
    town.gt(["config", "unset", "--rig", "web", "merge_queue.strategy"])
        .ok();
}
