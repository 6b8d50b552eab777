//! `gt connect`: a person's own machine as a member of a town elsewhere.

use std::fs;
use std::path::{Path, PathBuf};

use town_tests::{FarMachine, Repo, Run, Town, eventually};

/// The machine of a person, with a clone of the repository of the rig `web`. The machine of the town is
/// `big-machine` for its `ssh`.
struct Laptop<'t> {
    town: &'t Town,
    home: PathBuf,
    _town_machine: FarMachine<'t>,
}

impl<'t> Laptop<'t> {
    fn new(town: &'t Town, origin: &Repo) -> Self {
        let variables = town.variables();
        let variables: Vec<(&str, String)> = variables
            .iter()
            .map(|(name, value)| match name.as_str() {
                // The town is in the home folder there.
                "HOME" => ("HOME", town.path("").display().to_string()),
                name => (name, value.clone()),
            })
            .filter(|(_, value)| !value.is_empty() && !value.contains(' '))
            .collect();
        let town_machine = FarMachine::with_variables(town, &variables);
        let home = town.path("laptop");
        for folder in ["", "run"] {
            fs::create_dir(home.join(folder)).unwrap();
        }
        let config = town.path("home/.gitconfig");
        fs::copy(config, home.join(".gitconfig")).unwrap();
        let clone = home.join("web");
        let git = town.program_on_path("git");
        git.args(["clone", "-q", origin.url(), clone.to_str().unwrap()])
            .ok();
        Self {
            town,
            home,
            _town_machine: town_machine,
        }
    }

    /// Runs a script in a connection of the member `dana`.
    fn connect(&self, script: &str) -> Run {
        let path = self.town.variables();
        let path = path.iter().find(|(name, _)| name == "PATH").unwrap();
        Run::new(&self.town.path("bin/gt"), &self.home.join("web"))
            .env("PATH", path.1.clone())
            .env("HOME", &self.home)
            .env("XDG_RUNTIME_DIR", self.home.join("run"))
            .args(["connect", "big-machine", "--as", "web/dana", "--town"])
            .args(["~/town"])
            .args(["--", "sh", "-ec", script])
    }
}

fn town_with_member() -> (Town, Repo) {
    let (town, origin) = Town::with_rig();
    town.gt(["crew", "add", "dana", "--rig", "web"]).ok();
    (town, origin)
}

#[test]
fn a_member_elsewhere_reads_writes_and_hands_in_from_its_own_clone() {
    let (town, origin) = town_with_member();
    let laptop = Laptop::new(&town, &origin);
    let bead = town.bead("web", "Work at home");
    town.gt([
        "mail",
        "send",
        "web/crew/dana",
        "-s",
        "Hello",
        "-m",
        "Look at the bead",
    ])
    .ok();
    let worked = laptop
        .connect(&format!(
            "gt whoami\ngt mail inbox\nbd update {bead} --notes 'from home'\ngit checkout -qb fix/{bead}\n\
             echo home > home.txt\ngit add home.txt\ngit commit -qm 'Work at home'\n\
             gt done --summary 'done at home'"
        ))
        .ok();
    let said = [worked.out, worked.err].concat();
    assert!(said.contains("connected as web/dana"), "{said}");
    assert!(said.contains("web/crew/dana"), "{said}");
    assert!(said.contains("Hello"), "{said}");
    assert!(
        said.contains(&format!("{bead} handed in: 1 commit")),
        "{said}"
    );
    let shown = town.show("web", &bead);
    assert_eq!(shown["notes"], "from home");
    town.gt(["mq", "run", "web"]).ok();
    assert_eq!(town.status_of("web", &bead), "closed");
    assert_eq!(origin.file("main", "home.txt"), "home");
    assert_eq!(
        town.events("member_connected")[0]["payload"]["agent"],
        "web/crew/dana"
    );
    // The machine has no copy of the town, and no socket is left.
    let sockets = fs::read_dir(laptop.home.join("run/gastown")).unwrap();
    assert_eq!(sockets.count(), 0);
    assert!(!laptop.home.join("web/.beads").exists());
}

#[test]
fn a_member_elsewhere_has_the_permissions_of_a_member() {
    let (town, origin) = town_with_member();
    let laptop = Laptop::new(&town, &origin);
    let script = "gt rate x 5 || echo REFUSED\ngt mq submit --issue x || echo NO BRANCH";
    let worked = laptop.connect(script).run();
    let said = [worked.out, worked.err].concat();
    assert!(said.contains("REFUSED"), "{said}");
    assert!(said.contains("NO BRANCH"), "{said}");
}

#[test]
fn uncommitted_work_of_a_member_elsewhere_is_not_handed_in() {
    let (town, origin) = town_with_member();
    let laptop = Laptop::new(&town, &origin);
    let bead = town.bead("web", "Work at home");
    let script = format!(
        "git checkout -qb fix/{bead}\necho home > home.txt\ngt done || echo REFUSED\nexit 7"
    );
    let worked = laptop.connect(&script).run();
    assert_eq!(worked.code, 7, "{}", worked.err);
    assert!(worked.out.contains("REFUSED"), "{}", worked.out);
    let words = "your clone has uncommitted files";
    assert!(worked.err.contains(words), "{}", worked.err);
}

#[test]
fn a_member_goes_on_after_a_cut() {
    let (town, origin) = town_with_member();
    let laptop = Laptop::new(&town, &origin);
    let go = laptop.home.join("go");
    let ready = laptop.home.join("ready");
    let script = format!(
        ": > {}\nwhile ! [ -e {} ]; do sleep 0.1; done\ngt whoami",
        ready.display(),
        go.display()
    );
    let run = laptop.connect(&script);
    std::thread::scope(|scope| {
        let working = scope.spawn(move || run.ok());
        eventually("the connection", || ready.exists().then_some(()));
        kill_server_side(&town);
        fs::write(&go, "").unwrap();
        let worked = working.join().unwrap();
        assert!(worked.out.contains("web/crew/dana"), "{}", worked.out);
    });
}

/// Ends the town's side of the connection.
fn kill_server_side(town: &Town) {
    let pid = fs::read_to_string(town.path("far-big/pipe")).unwrap();
    town.kill(pid.trim());
}

#[test]
fn a_town_that_cannot_be_reached_and_a_member_that_is_not_there_are_named() {
    let (town, origin) = Town::with_rig();
    let laptop = Laptop::new(&town, &origin);
    let unknown = laptop.connect("true").fails("the town cannot be reached");
    assert!(unknown.err.contains("dana"), "{}", unknown.err);
    let nowhere = Run::new(&town.path("bin/gt"), Path::new("/"));
    nowhere
        .args(["connect", "big-machine", "--as", "web/dana"])
        .fails("is in no clone of git");
}
