//! The place that an engine made for one worker.
//!
//! A place is a host of its own, with a file beside those of the hosts: the link, the sandbox and the
//! sessions of its worker use it like any other machine. Its name never changes for a worker, and the
//! name at the engine is another one each time the place is made.

use std::path::PathBuf;

use kit::sys::file;
use serde::{Deserialize, Serialize};

use super::settings::{HostSettings, HostTransport, Place, is_host_name};
use crate::town::TownLayout;
use crate::town::name::Worker;

/// The separator in the name of a place, which no name of a host has.
const SEPARATOR: &str = "--";

/// The maximum length of the name of an object of an engine without its random end.
const MAX_OBJECT: usize = 48;

/// The end of a place, which its engine reported.
#[derive(Debug, Serialize, Deserialize)]
struct PlaceEnd {
    object: String,
    reason: String,
}

/// Returns the name of the place of a worker on a host with an engine.
pub fn place_name(host: &str, worker: &Worker) -> String {
    let name = format!("{host}{SEPARATOR}{}{SEPARATOR}{}", worker.rig, worker.name);
    if is_host_name(&name) {
        return name;
    }
    let hash = bd::bead::hash::compute_short_hash(name.as_bytes(), 10);
    format!("{host}{SEPARATOR}{hash}")
}

/// Returns the name of the place that a check of a host makes.
pub fn check_place_name(host: &str) -> String {
    format!("{host}{SEPARATOR}check")
}

/// Returns the name of a place that a host may still be making for no one.
pub fn left_place_name(host: &str, random: &str) -> String {
    format!("{host}{SEPARATOR}left-{random}")
}

/// Returns the host of a place. `None` for a name of a host.
pub fn host_of_place(name: &str) -> Option<&str> {
    name.split_once(SEPARATOR).map(|(host, _)| host)
}

/// Returns the name at the engine for a new object of a place: one that every engine accepts.
pub fn object_name(place: &str, random: &str) -> String {
    let plain = |c: char| match c.to_ascii_lowercase() {
        c if c.is_ascii_alphanumeric() => c,
        _ => '-',
    };
    let name: String = place.chars().map(plain).take(MAX_OBJECT).collect();
    format!("gt-{name}-{random}")
}

/// Reads the file of a place. `None` if there is none.
pub fn load_place(town: &TownLayout, name: &str) -> anyhow::Result<Option<(HostSettings, Place)>> {
    let Some(settings) = HostSettings::load(town, name)? else {
        return Ok(None);
    };
    match settings.transport.clone() {
        HostTransport::Place(place) => Ok(Some((settings, place))),
        _ => anyhow::bail!("`{name}` is no place of an engine"),
    }
}

fn end_file(town: &TownLayout, name: &str) -> PathBuf {
    town.host(name).join("end.json")
}

/// Records that the engine ended the object of a place.
pub(crate) fn record_place_end(
    town: &TownLayout,
    name: &str,
    object: &str,
    reason: &str,
) -> std::io::Result<()> {
    let end = PlaceEnd {
        object: object.to_owned(),
        reason: reason.to_owned(),
    };
    file::create_folder(&town.host(name), 0o700)?;
    file::replace_file(&end_file(town, name), &serde_json::to_vec(&end)?, 0o600)
}

/// Returns why a place is gone, if its engine reported that.
pub fn find_place_end(town: &TownLayout, name: &str) -> Option<String> {
    host_of_place(name)?;
    let (_, place) = load_place(town, name).ok()??;
    let bytes = file::read_file_if_exists(&end_file(town, name)).ok()??;
    let end: PlaceEnd = serde_json::from_slice(&bytes).ok()?;
    (end.object == place.object).then_some(end.reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_places_are_those_of_hosts_and_lead_to_their_host() {
        let long = "x".repeat(80);
        for (rig, worker) in [("web", "amber"), ("a.b", "amber"), ("web", long.as_str())] {
            let name = place_name("pods", &Worker::new(rig, worker));
            assert!(is_host_name(&name), "{name}");
            assert_eq!(host_of_place(&name), Some("pods"));
        }
        assert_eq!(host_of_place("big-1"), None);
    }

    #[test]
    fn names_at_an_engine_are_valid_for_kubernetes() {
        let name = object_name(&format!("Big_Pods--web--{}", "x".repeat(80)), "0a1b2c3d");
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(name.len() <= 63 && name.chars().all(is_plain), "{name}");
        assert!(name.starts_with("gt-big-pods--web--xxx") && name.ends_with("-0a1b2c3d"));
    }
}
