//! Workers on two other machines in networks of their own, and everything that goes wrong between
//! them and the town.
//!
//! `GASTOWN_HOSTS="WORKERS BEADS SECONDS"` chooses the size: the workers of one machine, and the open beads
//! that there are all the time.
//! `make nightly` runs ten minutes with thirty workers. Chance comes from a seed that is printed;
//! `GASTOWN_SEED` sets it.

#![expect(
    clippy::disallowed_methods,
    reason = "it reads its size, and troubles last for a while"
)]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::Value;
use town_tests::{FarMachine, Repo, Town, eventually, within};

/// What workers do, by chance: most work; others ask, or are killed.
const MOODS: &str = r#"
n=$(od -An -N1 -tu1 /dev/urandom | tr -d ' ')
if [ "$n" -lt 15 ]; then kill -9 $PPID; fi
if [ "$n" -lt 30 ]; then gt mail send overseer -s Question -m 'Is this right?'; fi
sleep 0.$((n % 10))
head -c 20000 /dev/urandom > "$GT_BEAD.bin"
echo "$GT_BEAD" > "$GT_BEAD.txt"
git add .
git commit -qm "Work by a wrong clock"
"#;

/// Settings with which a minute is enough for what takes hours else.
const QUICK: &[(&str, &str)] = &[
    ("patrol.progress.note", "5s"),
    ("patrol.progress.nudge", "10s"),
    ("patrol.progress.restart", "30s"),
    ("patrol.progress.restart_busy", "30s"),
    ("patrol.breaker.wait", "1s"),
    ("patrol.breaker.half_open", "20s"),
    ("patrol.budget.per_minute", "0"),
];

/// The time within which all work is done once nothing goes wrong any more, in seconds.
const CALM_SECONDS: u64 = 240;

/// The size of a run.
#[derive(Debug)]
struct Size {
    workers: u64,
    beads: u64,
    seconds: u64,
}

impl Size {
    fn wanted() -> Self {
        let text = std::env::var("GASTOWN_HOSTS").unwrap_or_else(|_| "3 8 20".to_owned());
        let numbers = text.split_whitespace().map(|word| word.parse().unwrap());
        let [workers, beads, seconds] = numbers.collect::<Vec<u64>>().try_into().unwrap();
        Self {
            workers,
            beads,
            seconds,
        }
    }
}

/// A kind of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Trouble {
    /// The network carries nothing for a while, and nobody hears of it.
    Silence,
    /// The ssh server of a machine dies with all connections.
    KillServer,
    /// The program of the town on a machine dies.
    KillBox,
    /// The tmux server of a machine dies, with all sessions.
    KillTmux,
    /// The link of the town dies.
    KillLink,
    /// The daemon is killed and started again.
    KillDaemon,
    /// There is no room on the disk of a machine for a while.
    FullDisk,
}

impl Trouble {
    fn draw(rng: &mut fastrand::Rng) -> Self {
        match rng.u8(..14) {
            0..=3 => Self::Silence,
            4 | 5 => Self::KillServer,
            6 | 7 => Self::KillBox,
            8 => Self::KillTmux,
            9 | 10 => Self::KillLink,
            11 | 12 => Self::KillDaemon,
            _ => Self::FullDisk,
        }
    }

    fn strike(self, town: &Town, machine: &mut FarMachine<'_>, rng: &mut fastrand::Rng) {
        match self {
            Self::Silence => {
                machine.set_network(false);
                // Some are longer than the heartbeat.
                let seconds = if rng.u8(..4) == 0 { 40 } else { 3 };
                std::thread::sleep(Duration::from_secs(seconds));
                machine.set_network(true);
            }
            Self::KillServer => machine.restart_server(),
            Self::KillBox => machine.kill_programs("gt"),
            Self::KillTmux => machine.kill_programs("tmux: server"),
            Self::KillLink => {
                let file = format!(".runtime/hosts/{}/link.pid", machine.name);
                if let Ok(pid) = std::fs::read_to_string(town.root().join(file)) {
                    town.kill(pid.trim());
                }
            }
            Self::KillDaemon => {
                town.kill_daemon();
                town.up();
            }
            Self::FullDisk => {
                machine.fill_disk();
                std::thread::sleep(Duration::from_secs(4));
                machine.free_disk();
            }
        }
    }
}

/// The town with its work.
struct Work<'t> {
    town: &'t Town,
    origin: Repo,
    beads: Vec<String>,
}

impl Work<'_> {
    /// Slings more beads.
    fn add(&mut self, count: u64) {
        let beads: Vec<String> = (0..count)
            .map(|number| self.town.bead("web", &format!("Work {number}")))
            .collect();
        let line = std::iter::once("sling").chain(beads.iter().map(String::as_str));
        self.town.gt(line.chain(["web"])).run();
        self.beads.extend(beads);
    }

    /// The beads that are not closed.
    fn list_open(&self) -> Vec<String> {
        let all = ["list", "--all", "--limit", "0", "--json"];
        let listed = self.town.bd("web", all).ok().json();
        let listed = listed.as_array().unwrap();
        let is_closed = |id: &String| {
            let mut beads = listed.iter();
            beads.any(|bead| bead["id"] == **id && bead["status"] == "closed")
        };
        let open = self.beads.iter().filter(|id| !is_closed(id));
        open.cloned().collect()
    }

    /// Retries stuck workers, as a user does who reads the messages.
    fn retry_stuck(&self) {
        let list = self.town.gt(["polecat", "list", "web", "--json"]).run();
        let Ok(Value::Array(workers)) = serde_json::from_str(&list.out) else {
            return;
        };
        for worker in workers.iter().filter(|worker| worker["stuck"].is_string()) {
            let name = format!("web/{}", worker["name"].as_str().unwrap());
            self.town.gt(["polecat", "retry", &name]).run();
        }
    }

    /// How often each bead is on the target.
    fn count_merges(&self) -> BTreeMap<&str, usize> {
        let log = ["log", "--format=", "--name-only", "--diff-filter=A", "main"];
        let files = self.origin.git(log);
        let count = |id: &String| {
            let name = format!("{id}.txt");
            files.lines().filter(|line| **line == *name).count()
        };
        let beads = self.beads.iter();
        beads.map(|id| (id.as_str(), count(id))).collect()
    }
}

#[test]
fn work_on_two_machines_lands_once_under_every_kind_of_trouble() {
    let size = Size::wanted();
    let seed = std::env::var("GASTOWN_SEED")
        .ok()
        .and_then(|text| text.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..1_000_000));
    println!("GASTOWN_SEED={seed} {size:?}");
    let mut rng = fastrand::Rng::with_seed(seed);
    let (town, origin) = Town::with_rig();
    let early = FarMachine::in_network(&town, "early", "-1h");
    let late = FarMachine::in_network(&town, "late", "+1h");
    let (Some(early), Some(late)) = (early, late) else {
        return;
    };
    let mut machines = [early, late];
    town.script(MOODS);
    for (name, value) in QUICK {
        town.gt(["config", "set", name, value]).ok();
    }
    let limit = size.workers.to_string();
    for machine in &machines {
        let ssh = format!("{}-machine", machine.name);
        let line = [
            "host",
            "add",
            &machine.name,
            "--ssh",
            &ssh,
            "--limit",
            &limit,
        ];
        town.gt(line).ok();
    }
    let all = (2 * size.workers).to_string();
    town.gt(["config", "set", "max_polecats", &all, "--rig", "web"])
        .ok();
    town.gt(["config", "set", "sling.hosts", "early,late"]).ok();
    let mut work = Work {
        beads: Vec::new(),
        town: &town,
        origin,
    };
    town.up();
    let began = Instant::now();
    let mut troubles: BTreeMap<Trouble, usize> = BTreeMap::new();
    while began.elapsed().as_secs() < size.seconds {
        let open = u64::try_from(work.list_open().len()).unwrap();
        work.add(size.beads.saturating_sub(open));
        let trouble = Trouble::draw(&mut rng);
        let machine = &mut machines[rng.usize(..2)];
        trouble.strike(&town, machine, &mut rng);
        *troubles.entry(trouble).or_default() += 1;
        work.retry_stuck();
        std::thread::sleep(Duration::from_secs(1));
    }
    let beads = work.beads.len();
    println!(
        "{beads} beads, {troubles:?} in {} s",
        began.elapsed().as_secs()
    );
    let done = within(Duration::from_secs(CALM_SECONDS), || {
        work.retry_stuck();
        work.list_open().is_empty().then_some(())
    });
    assert!(done.is_some(), "open: {:?}", work.list_open());
    let merges = work.count_merges();
    let wrong: Vec<_> = merges.iter().filter(|(_, times)| **times != 1).collect();
    assert!(wrong.is_empty(), "lost, or merged twice: {wrong:?}");
    for machine in &machines {
        // The attempt that runs may have begun in the last silence.
        let check = || town.gt(["host", "check", &machine.name]).run();
        eventually("the machine is reachable", || {
            (check().code == 0).then_some(())
        });
    }
    town.gt(["down"]).ok();
    for machine in &machines {
        town.gt(["host", "remove", &machine.name, "--gone"]).ok();
        let is_empty = || {
            let left = machine.processes();
            left.iter().all(|(_, name)| name == "sshd").then_some(())
        };
        let ended = within(Duration::from_secs(60), is_empty);
        assert!(ended.is_some(), "left: {:?}", machine.processes());
    }
}
