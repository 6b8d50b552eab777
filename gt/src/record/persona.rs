//! Stores the persona of a polecat: a text of the user for this one worker, `personas/NAME.md` of the
//! rig, whose hash is in the worker's identity bead. A file that does not match the hash was changed
//! by someone else than `gt polecat hire`, and is not used.
//!
//! A persona is text. It never sets anything.

use std::io;
use std::path::PathBuf;

use bd::bead::Bead;
use bd::bead::fields::{get_field, set_field};
use kit::sys::{file, foreign};
use sha2::{Digest, Sha256};

use crate::town::RigLayout;

/// The maximum size of a persona in bytes.
pub const MAX_PERSONA: usize = 8 * 1024;

/// The field of an identity bead with the hash of the persona.
const HASH_FIELD: &str = "persona";
/// The field of an identity bead with the user and the time of the last hire.
const HIRED_FIELD: &str = "hired";
/// The field of an identity bead with the user and the time at which the persona ended.
const FIRED_FIELD: &str = "fired";

/// The result of reading a worker's persona.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundPersona {
    None,
    /// The text of the user.
    Valid {
        path: PathBuf,
        text: String,
    },
    /// The file is missing, cannot be read, or is not the one of the hire.
    Changed {
        path: PathBuf,
        why: String,
    },
}

/// Returns the path of a worker's persona.
pub fn persona_path(rig: &RigLayout, name: &str) -> PathBuf {
    rig.root().join(format!("personas/{name}.md"))
}

/// Returns the path of the persona that a worker had before it was fired.
fn former_path(rig: &RigLayout, name: &str) -> PathBuf {
    rig.root().join(format!("personas/former/{name}.md"))
}

/// Returns the hash of a persona.
pub fn hash_persona(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes a worker's persona and notes it in its identity bead, which the caller writes.
pub fn put_persona(
    rig: &RigLayout,
    name: &str,
    agent: &mut Bead,
    text: &str,
    hired: &str,
) -> io::Result<()> {
    let path = persona_path(rig, name);
    if let Some(folder) = path.parent() {
        file::create_folder(folder, 0o700)?;
    }
    file::replace_file(&path, text.as_bytes(), 0o600)?;
    let described = set_field(&agent.description, HASH_FIELD, Some(&hash_persona(text)));
    let described = set_field(&described, FIRED_FIELD, None);
    agent.description = set_field(&described, HIRED_FIELD, Some(hired));
    Ok(())
}

/// Ends the use of a worker's persona in its identity bead, which the caller writes.
pub fn end_persona(agent: &mut Bead, fired: &str) {
    let described = set_field(&agent.description, HASH_FIELD, None);
    agent.description = set_field(&described, FIRED_FIELD, Some(fired));
}

/// Moves the file of a persona that is not used any more aside.
pub fn keep_former_persona(rig: &RigLayout, name: &str) -> io::Result<()> {
    let former = former_path(rig, name);
    if let Some(folder) = former.parent() {
        file::create_folder(folder, 0o700)?;
    }
    match std::fs::rename(persona_path(rig, name), former) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns true if a worker has a persona.
pub fn has_persona(agent: &Bead) -> bool {
    get_field(&agent.description, HASH_FIELD).is_some()
}

/// Reads the persona of a worker.
pub fn find_persona(rig: &RigLayout, name: &str, agent: &Bead) -> FoundPersona {
    let Some(hash) = get_field(&agent.description, HASH_FIELD) else {
        return FoundPersona::None;
    };
    let path = persona_path(rig, name);
    let why = match foreign::read_foreign_file(&path, MAX_PERSONA as u64) {
        Ok(Some(bytes)) => match String::from_utf8(bytes) {
            Ok(text) if hash_persona(&text) == hash => return FoundPersona::Valid { path, text },
            _ => "it was changed after the hire".to_owned(),
        },
        Ok(None) => "it is missing".to_owned(),
        Err(error) => error.to_string(),
    };
    FoundPersona::Changed { path, why }
}
