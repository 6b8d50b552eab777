//! A worker with an open question: it waits for the answer, and starts again with it.

use town_tests::Town;

#[test]
fn a_worker_that_asked_waits_for_the_answer_and_starts_again_with_it() {
    let (town, _origin) = Town::with_rig();
    town.script(
        "if gt prime | grep -q 'the blue one'; then echo blue > answer.txt; exit; fi\n\
         gt escalate 'Which one?' --related $GT_BEAD\nexit 1",
    );
    let bead = town.bead("web", "Choose");
    let name = town.sling(&bead);
    town.gt(["config", "set", "patrol.breaker.wait", "0s"]).ok();
    town_tests::eventually("its session has ended", || {
        let asked = town.gt(["escalate", "list", "--json"]).ok().json();
        let ended = town.polecats()[0]["session_running"] == false;
        (ended && asked[0]["id"].is_string()).then_some(())
    });
    for _ in 0..4 {
        town.patrol();
    }
    assert_eq!(town.events("respawn").len(), 0);
    assert!(town.polecats()[0]["stuck"].is_null());
    let open = town.gt(["escalate", "list", "--json"]).ok().json();
    assert_eq!(open.as_array().unwrap().len(), 1, "{open}");
    let id = open[0]["id"].as_str().unwrap();
    let command = format!("gt escalate resolve {id}");
    for args in [vec!["why", &bead], vec!["why", &name], vec!["status"]] {
        let said = town.gt(args.iter().copied()).ok().out;
        assert!(
            said.contains("it waits for your answer"),
            "{args:?}: {said}"
        );
        assert!(said.contains(&command), "{args:?}: {said}");
    }
    // No one waits for the answer to a question of low severity.
    let asks = ["escalate", "Which shade?", "-s", "low", "--decision"];
    let options = ["--option", "dark", "--option", "light", "--related", &bead];
    town.gt_as(&name, asks.into_iter().chain(options)).ok();
    let listed = town.gt(["escalate", "list"]).ok().out;
    for words in [
        format!("about {bead}"),
        "2. light".to_owned(),
        "<1-2, or an answer>".to_owned(),
    ] {
        assert!(listed.contains(&words), "{words}: {listed}");
    }
    town.gt(["escalate", "answer", id, "the blue one"]).ok();
    town_tests::eventually("the work is merged", || {
        town.patrol();
        (town.status_of("web", &bead) == "closed").then_some(())
    });
    town.patrol();
    let open = town.gt(["escalate", "list", "--json"]).ok().json();
    assert_eq!(
        open.as_array().unwrap().len(),
        0,
        "closed with its bead: {open}"
    );
}

#[test]
fn a_worker_that_asked_and_handed_in_nothing_waits_for_the_answer() {
    let (town, _origin) = Town::with_rig();
    town.script(
        "if gt prime | grep -q 'the blue one'; then echo blue > answer.txt; exit; fi\n\
         gt escalate 'Which one?' --decision --option red --option 'the blue one'",
    );
    let bead = town.bead("web", "Choose");
    let name = town.sling(&bead);
    town_tests::eventually("its `gt done` has failed", || {
        let asked = town.gt(["escalate", "list", "--json"]).ok().json();
        let worker = &town.polecats()[0];
        let ended = worker["session_running"] == false && worker["failed_step"].is_string();
        (ended && asked[0]["id"].is_string()).then_some(())
    });
    for _ in 0..4 {
        town.patrol();
    }
    assert!(
        town.polecats()[0]["stuck"].is_null(),
        "{:?}",
        town.polecats()
    );
    assert_eq!(town.events("respawn").len(), 0);
    let open = town.gt(["escalate", "list", "--json"]).ok().json();
    let id = open[0]["id"].as_str().unwrap();
    for args in [vec!["why", &bead], vec!["why", &name], vec!["status"]] {
        let said = town.gt(args.iter().copied()).ok().out;
        assert!(said.contains("it waits for"), "{args:?}: {said}");
        assert!(said.contains(id), "{args:?}: {said}");
    }
    town.gt(["escalate", "resolve", id, "2"]).ok();
    town_tests::eventually("the work is merged", || {
        town.patrol();
        (town.status_of("web", &bead) == "closed").then_some(())
    });
}

#[test]
fn work_that_is_handed_in_before_the_answer_says_so() {
    let worker = town_tests::Worker::new();
    let town = &worker.town;
    let ask = ["escalate", "Which one?", "--json"];
    let asked = town.gt_as(&worker.name, ask).ok().json();
    let id = asked["id"].as_str().unwrap().to_owned();
    worker.commit("work.txt");
    let done = worker.done(["--summary", "Chose"]).ok().out;
    assert!(
        done.contains(&format!("{id} \"Which one?\" is not answered yet")),
        "{done}"
    );
    let row = town.gt(["escalate", "show", &id, "--json"]).ok().json();
    assert_eq!(row["status"], "open", "{row}");
}
