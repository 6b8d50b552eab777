//! The numbers of desks on this machine: each work tree and each run of gates has one, with a block
//! of ports and a name for a database. All towns of the user share them.
//!
//! A number is a file in one folder, written whole under one lock. The number of a work tree is
//! free when the tree is gone, the number of a run when the kernel has freed its lock, in whatever
//! way the run ended. No two owners ever have the same number.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use kit::sys::{Env, file};
use serde::{Deserialize, Serialize};

use crate::record::state_file;
use crate::town::lock::Lock;

/// The first port of the number 0. The last port is below those that Linux gives to outgoing
/// connections.
const FIRST_PORT: u16 = 20_000;
const PORTS_PER_DESK: u16 = 20;
/// The numbers are 1 to this one.
const LAST_SLOT: u16 = 599;

/// The maximum length of the part of a name that describes its owner.
const MAX_LABEL: usize = 40;

/// The time that an allocation waits for others.
const REGISTRY_WAIT: Duration = Duration::from_secs(30);

/// A number of a desk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeskNumber {
    pub slot: u16,
    /// A name for a database: letters, digits and `_`, unique on the machine.
    pub name: String,
}

impl DeskNumber {
    /// The first port of the block.
    pub fn first_port(&self) -> u16 {
        FIRST_PORT + self.slot * PORTS_PER_DESK
    }

    /// The last port of the block.
    pub fn last_port(&self) -> u16 {
        self.first_port() + (PORTS_PER_DESK - 1)
    }

    /// Returns the variables for programs that run at the desk.
    pub fn variables(&self) -> [(&'static str, String); 4] {
        [
            ("GT_SLOT", self.slot.to_string()),
            ("GT_PORT", self.first_port().to_string()),
            ("GT_PORT_END", self.last_port().to_string()),
            ("GT_DESK", self.name.clone()),
        ]
    }
}

/// The owner of a number, as its file says.
#[derive(Debug, Serialize, Deserialize)]
struct NumberRecord {
    /// The work tree. None for a run, which holds the lock of the number.
    #[serde(default)]
    tree: Option<PathBuf>,
    name: String,
}

/// The folder with the numbers of this user.
#[derive(Debug)]
pub struct DeskNumbers {
    folder: PathBuf,
}

/// The number of a run of gates. It is free again when this value is dropped, or when the process
/// ends in any way.
#[derive(Debug)]
pub struct RunNumber {
    pub number: DeskNumber,
    record: PathBuf,
    _lock: Lock,
}

impl Drop for RunNumber {
    fn drop(&mut self) {
        // A remaining file counts as free as soon as the lock is.
        file::remove_file(&self.record).ok();
    }
}

impl DeskNumbers {
    /// Opens the numbers of the user. The folder depends on the home only: a shell and the daemon
    /// may have other variables, and must not give one number to two owners.
    pub fn open(env: &Env) -> anyhow::Result<Self> {
        let home = env.home().context("HOME is not set")?;
        Ok(Self::at(&home.join(".local/state/gastown/desks")))
    }

    /// Opens the numbers in a folder.
    pub fn at(folder: &Path) -> Self {
        let folder = folder.to_owned();
        Self { folder }
    }

    /// Returns the number of a work tree, and gives it one if it has none.
    pub fn assign_to_tree(&self, tree: &Path, label: &str) -> anyhow::Result<DeskNumber> {
        let _registry = self.lock()?;
        let taken = self.read_taken()?;
        if let Some((slot, record)) = taken
            .iter()
            .find(|(_, record)| record.tree.as_deref() == Some(tree))
        {
            return Ok(DeskNumber {
                slot: *slot,
                name: record.name.clone(),
            });
        }
        let number = find_free_number(&taken, label)?;
        self.write(&number, Some(tree))?;
        Ok(number)
    }

    /// Gives a number to a run of gates.
    pub fn assign_to_run(&self, label: &str) -> anyhow::Result<RunNumber> {
        let _registry = self.lock()?;
        let mut taken = self.read_taken()?;
        loop {
            let number = find_free_number(&taken, label)?;
            // The lock comes first: a record without one counts as given back.
            match Lock::try_take(&self.run_lock(number.slot)) {
                Ok(lock) => {
                    self.write(&number, None)?;
                    return Ok(RunNumber {
                        record: self.record(number.slot),
                        number,
                        _lock: lock,
                    });
                }
                // A run that is ending has removed its record, and is about to free its lock.
                Err(_) => {
                    let name = number.name;
                    taken.insert(number.slot, NumberRecord { tree: None, name });
                }
            }
        }
    }

    /// Returns the number of a work tree, if it has one.
    pub fn find_of_tree(&self, tree: &Path) -> Option<DeskNumber> {
        let records = self.read_records().ok()?;
        let (slot, record) = records
            .into_iter()
            .find(|(_, record)| record.tree.as_deref() == Some(tree))?;
        let name = record.name;
        Some(DeskNumber { slot, name })
    }

    /// Gives the number of a work tree back.
    pub fn give_back(&self, tree: &Path) -> anyhow::Result<()> {
        if !self.folder.is_dir() {
            return Ok(());
        }
        let _registry = self.lock()?;
        for (slot, record) in self.read_records()? {
            if record.tree.as_deref() == Some(tree) {
                file::remove_file(&self.record(slot))?;
            }
        }
        Ok(())
    }

    fn lock(&self) -> anyhow::Result<Lock> {
        file::create_folder(&self.folder, 0o700)
            .with_context(|| format!("cannot create {}", self.folder.display()))?;
        Ok(Lock::take(&self.folder.join("lock"), REGISTRY_WAIT)?)
    }

    fn record(&self, slot: u16) -> PathBuf {
        self.folder.join(format!("{slot}.json"))
    }

    fn run_lock(&self, slot: u16) -> PathBuf {
        self.folder.join(format!("{slot}.lock"))
    }

    fn write(&self, number: &DeskNumber, tree: Option<&Path>) -> anyhow::Result<()> {
        let record = NumberRecord {
            tree: tree.map(Path::to_owned),
            name: number.name.clone(),
        };
        state_file::write_state(&self.record(number.slot), &record)
    }

    /// Reads the numbers that are taken, and removes the records of owners that are gone.
    fn read_taken(&self) -> anyhow::Result<BTreeMap<u16, NumberRecord>> {
        let mut taken = BTreeMap::new();
        for (slot, record) in self.read_records()? {
            let is_gone = match &record.tree {
                Some(tree) => is_missing(tree),
                None => !record.name.is_empty() && Lock::is_free(&self.run_lock(slot)),
            };
            if is_gone {
                file::remove_file(&self.record(slot))?;
            } else {
                taken.insert(slot, record);
            }
        }
        Ok(taken)
    }

    /// Reads all records. The owner of a damaged one is unknown, so its number stays taken.
    fn read_records(&self) -> anyhow::Result<BTreeMap<u16, NumberRecord>> {
        let mut records = BTreeMap::new();
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(records),
            Err(error) => {
                return Err(error)
                    .with_context(|| format!("cannot read {}", self.folder.display()));
            }
        };
        for entry in entries {
            let name = entry?.file_name().to_string_lossy().into_owned();
            let slot = name.strip_suffix(".json").map(str::parse::<u16>);
            let Some(Ok(slot)) = slot else {
                continue;
            };
            let record = match state_file::read_state::<NumberRecord>(&self.record(slot)) {
                // A run that ended in this moment.
                Ok(None) => continue,
                Ok(Some(record)) => record,
                Err(_) => NumberRecord {
                    tree: None,
                    name: String::new(),
                },
            };
            records.insert(slot, record);
        }
        Ok(records)
    }
}

/// Finds the lowest number that no one has and whose ports no program uses.
fn find_free_number(
    taken: &BTreeMap<u16, NumberRecord>,
    label: &str,
) -> anyhow::Result<DeskNumber> {
    let free = (1..=LAST_SLOT)
        .filter(|slot| !taken.contains_key(slot))
        .map(|slot| DeskNumber {
            slot,
            name: name_desk(slot, label),
        })
        .find(has_free_ports);
    free.with_context(|| format!("all {LAST_SLOT} numbers for desks are in use on this machine"))
}

/// Returns true if no program listens at the ports of a number.
fn has_free_ports(number: &DeskNumber) -> bool {
    (number.first_port()..=number.last_port())
        .all(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok())
}

/// Returns a name that is valid for a database.
fn name_desk(slot: u16, label: &str) -> String {
    let label: String = label
        .chars()
        .take(MAX_LABEL)
        .map(|c| match c.to_ascii_lowercase() {
            c if c.is_ascii_alphanumeric() => c,
            _ => '_',
        })
        .collect();
    format!("gt{slot}_{label}")
}

fn is_missing(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use kit::sys::{ChildCommand, clock, env};

    use super::*;

    /// The variable that makes a test process take numbers until it is killed.
    const TAKER: &str = "GT_TEST_TAKE_NUMBERS";

    #[test]
    fn thirty_owners_at_once_get_thirty_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let numbers = DeskNumbers::at(&folder.path().join("desks"));
        let tree = |index: usize| folder.path().join(format!("tree-{index}"));
        for index in 0..15 {
            fs::create_dir(tree(index)).unwrap();
        }
        let (trees, runs) = std::thread::scope(|scope| {
            let numbers = &numbers;
            let trees: Vec<_> = (0..15)
                .map(|index| scope.spawn(move || numbers.assign_to_tree(&tree(index), "web/nux")))
                .collect();
            let runs: Vec<_> = (0..15)
                .map(|_| scope.spawn(move || numbers.assign_to_run("web gates")))
                .collect();
            let trees = trees.into_iter().map(|one| one.join().unwrap().unwrap());
            let runs = runs.into_iter().map(|one| one.join().unwrap().unwrap());
            (trees.collect::<Vec<_>>(), runs.collect::<Vec<_>>())
        });
        let all = trees.iter().chain(runs.iter().map(|run| &run.number));
        let slots: BTreeSet<u16> = all.clone().map(|number| number.slot).collect();
        let names: BTreeSet<&String> = all.map(|number| &number.name).collect();
        assert_eq!((slots.len(), names.len()), (30, 30));
        for (index, number) in trees.iter().enumerate() {
            let again = numbers.assign_to_tree(&tree(index), "other").unwrap();
            assert_eq!(&again, number, "a tree keeps its number");
        }
        drop(runs);
        assert_eq!(numbers.read_taken().unwrap().len(), 15);
        fs::remove_dir(tree(0)).unwrap();
        numbers.give_back(&tree(1)).unwrap();
        assert_eq!(numbers.read_taken().unwrap().len(), 13);
        assert_eq!(numbers.find_of_tree(&tree(1)), None);
    }

    #[test]
    fn a_number_has_ports_and_a_name_for_a_database() {
        let number = DeskNumber {
            slot: 7,
            name: name_desk(7, "Web-1/ńux; drop table"),
        };
        assert_eq!(number.name, "gt7_web_1__ux__drop_table");
        assert_eq!((number.first_port(), number.last_port()), (20_140, 20_159));
        let last = DeskNumber {
            slot: LAST_SLOT,
            name: String::new(),
        };
        assert!(last.last_port() < 32_768);
    }

    #[test]
    fn a_block_with_a_used_port_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let numbers = DeskNumbers::at(folder.path());
        let first = numbers.assign_to_run("one").unwrap();
        let port = first.number.last_port();
        // Another test may be looking at the port.
        let listen = || TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok();
        let _server = clock::wait_for(Duration::from_secs(60), listen).unwrap();
        let slot = first.number.slot;
        drop(first);
        assert_ne!(numbers.assign_to_run("two").unwrap().number.slot, slot);
    }

    #[test]
    fn a_damaged_record_keeps_its_number_and_blocks_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let numbers = DeskNumbers::at(folder.path());
        fs::write(numbers.record(1), "{").unwrap();
        fs::write(folder.path().join("x.json"), "{").unwrap();
        let run = numbers.assign_to_run("one").unwrap();
        assert_ne!(run.number.slot, 1);
        drop(run);
        assert!(numbers.record(1).exists());
    }

    #[test]
    fn numbers_of_a_killed_process_are_given_back() {
        if let Some(folder) = Env::from_process().get(TAKER) {
            let numbers = DeskNumbers::at(Path::new(folder));
            let mut held = Vec::new();
            loop {
                held.push(numbers.assign_to_run("killed").unwrap());
                held.truncate(8);
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("desks");
        let numbers = DeskNumbers::at(&path);
        let log = fs::File::create(folder.path().join("log")).unwrap();
        let own = numbers.assign_to_run("own").unwrap();
        for _ in 0..3 {
            let taker = ChildCommand::new(env::current_exe().unwrap())
                .args(["numbers_of_a_killed_process_are_given_back", "--nocapture"])
                .env(TAKER, &path);
            let pid = taker.spawn_detached(&log).unwrap();
            let busy = || (numbers.read_records().unwrap().len() > 3).then_some(());
            clock::wait_for(Duration::from_secs(60), busy).expect("the other process takes some");
            let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
            let only_own = || {
                let _registry = numbers.lock().unwrap();
                (numbers.read_taken().unwrap().len() == 1).then_some(())
            };
            clock::wait_for(Duration::from_secs(60), only_own).expect("its numbers are free");
        }
        assert_ne!(
            numbers.assign_to_run("new").unwrap().number,
            own.number,
            "the number of a run that goes on stays taken"
        );
    }
}
