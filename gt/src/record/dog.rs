//! Stores the kennel: the deacon's helpers, `deacon/dogs/<name>/.dog.json`. A folder without that
//! file is no dog.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::state_file;
use crate::town::identity::Address;
use crate::town::{Town, TownLayout};

/// The file that makes a folder a dog.
const DOG_FILE: &str = ".dog.json";

/// The default names of dogs, in this order.
const DOG_NAMES: &[&str] = &[
    "alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel",
];

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DogState {
    #[default]
    Idle,
    /// The dog has a chore or a bead.
    Working,
}

impl DogState {
    /// Returns the state's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Working => "working",
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Dog {
    pub name: String,
    pub state: DogState,
    /// The time of the dog's last action.
    pub last_active: Timestamp,
    /// The current chore or bead.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub work: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work_started_at: Option<Timestamp>,
    /// The worktrees, by rig.
    pub worktrees: BTreeMap<String, PathBuf>,
    pub created_at: Timestamp,
    /// The time of the last write to the dog's file.
    pub updated_at: Timestamp,
    /// Fields that this version does not know.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl Dog {
    pub fn address(&self) -> Address {
        Address::Dog(self.name.clone())
    }

    /// Gives work to the dog.
    pub fn begin(&mut self, work: &str, now: Timestamp) {
        self.state = DogState::Working;
        work.clone_into(&mut self.work);
        self.work_started_at = Some(now);
        self.last_active = now;
    }

    /// Takes the work from the dog.
    pub fn rest(&mut self, now: Timestamp) {
        self.state = DogState::Idle;
        self.work.clear();
        self.work_started_at = None;
        self.last_active = now;
    }
}

/// Returns the folder of all dogs.
pub fn kennel_folder(layout: &TownLayout) -> PathBuf {
    layout.deacon().join("dogs")
}

pub fn dog_folder(layout: &TownLayout, name: &str) -> PathBuf {
    kennel_folder(layout).join(name)
}

fn dog_file(layout: &TownLayout, name: &str) -> PathBuf {
    dog_folder(layout, name).join(DOG_FILE)
}

/// Returns all dogs, by name. Skips folders with an unreadable file.
pub fn list_dogs(layout: &TownLayout) -> Vec<Dog> {
    let entries = std::fs::read_dir(kennel_folder(layout))
        .into_iter()
        .flatten();
    let mut found: Vec<Dog> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter_map(|name| load_dog(layout, &name).ok().flatten())
        .collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// Returns why the files of dogs cannot be read, which [`list_dogs`] leaves out.
pub fn list_damaged_dogs(layout: &TownLayout) -> Vec<String> {
    let entries = std::fs::read_dir(kennel_folder(layout))
        .into_iter()
        .flatten();
    let mut damaged: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter_map(|name| Some(format!("{:#}", load_dog(layout, &name).err()?)))
        .collect();
    damaged.sort();
    damaged
}

/// Returns the dog of a name, if there is one. Fails if its file cannot be read.
pub fn load_dog(layout: &TownLayout, name: &str) -> anyhow::Result<Option<Dog>> {
    // A name that is a path would lead out of the kennel.
    if Path::new(name).components().count() != 1 || name.contains('.') {
        return Ok(None);
    }
    let dog: Option<Dog> = state_file::read_state(&dog_file(layout, name))?;
    // The folder's name counts, because the file may be a copy.
    Ok(dog.map(|dog| Dog {
        name: name.to_owned(),
        ..dog
    }))
}

/// Returns the dog of a name, or an error.
pub fn find_dog(layout: &TownLayout, name: &str) -> anyhow::Result<Dog> {
    load_dog(layout, name)?.ok_or_else(|| {
        anyhow::anyhow!("there is no dog `{name}`: not found (`gt dog add {name}` adds it)")
    })
}

/// Writes a new dog.
pub fn create_dog(layout: &TownLayout, dog: &Dog) -> anyhow::Result<()> {
    state_file::write_state(&dog_file(layout, &dog.name), dog)
}

/// Changes a dog under its lock.
pub fn change_dog<R>(
    town: &Town,
    name: &str,
    change: impl FnOnce(&mut Dog) -> anyhow::Result<R>,
) -> anyhow::Result<R> {
    find_dog(&town.layout, name)?;
    let now = town.clock.now();
    state_file::change_state(
        &town.layout,
        &dog_file(&town.layout, name),
        |dog: &mut Dog| {
            let result = change(dog)?;
            dog.updated_at = now;
            Ok(result)
        },
    )?
}

/// Returns the first name that no dog has.
pub fn first_free_name(dogs: &[Dog]) -> String {
    let is_free = |name: &str| dogs.iter().all(|dog| dog.name != name);
    if let Some(name) = DOG_NAMES.iter().find(|name| is_free(name)) {
        return (*name).to_owned();
    }
    let mut number = 1;
    while !is_free(&format!("dog{number}")) {
        number += 1;
    }
    format!("dog{number}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn a_folder_without_a_valid_file_is_ignored_and_unknown_fields_stay() {
        let place = TestTown::new();
        let town = &place.town;
        let write = |name: &str, text: &str| {
            std::fs::create_dir_all(dog_folder(&town.layout, name)).unwrap();
            std::fs::write(dog_file(&town.layout, name), text).unwrap();
        };
        std::fs::create_dir_all(dog_folder(&town.layout, "boot")).unwrap();
        write("torn", "{");
        write("alpha", r#"{"name":"alpha","state":"idle","zeta":[1]}"#);
        let names: Vec<String> = list_dogs(&town.layout)
            .into_iter()
            .map(|dog| dog.name)
            .collect();
        assert_eq!(names, ["alpha"]);
        assert_eq!(first_free_name(&list_dogs(&town.layout)), "bravo");
        for name in ["..", "a/b", ".dog", ""] {
            assert!(find_dog(&town.layout, name).is_err(), "{name}");
        }
        let torn = find_dog(&town.layout, "torn").unwrap_err().to_string();
        assert!(torn.contains("is damaged"), "{torn}");
        assert_eq!(list_damaged_dogs(&town.layout).len(), 1);
        assert!(list_damaged_dogs(&town.layout)[0].starts_with(&torn));
        change_dog(town, "alpha", |dog| {
            dog.begin("backup", Timestamp::UNIX_EPOCH);
            Ok(())
        })
        .unwrap();
        let dog = find_dog(&town.layout, "alpha").unwrap();
        assert_eq!(
            (dog.state, dog.work.as_str()),
            (DogState::Working, "backup")
        );
        assert_eq!(dog.other["zeta"], serde_json::json!([1]));
    }
}
