//! Writes the role file `AGENTS.md` into the folder of an agent whose program has no hooks. Other
//! agents get the role's text by a hook, and would read it twice.
//!
//! Only roles with a folder of their own have the file. Polecats and crew work in a repository,
//! which may have its own file of that name.

use std::path::{Path, PathBuf};

use kit::sys::{file, foreign};

use super::identity::Address;
use super::{Town, agent_home};

/// The file's name, which the common agent programs read.
pub const NAME: &str = "AGENTS.md";

/// The first line of a file that this module wrote.
const FIRST_LINE: &str = "<!-- Written by gt for agent programs without hooks. -->";

pub fn role_text(role: &str) -> &'static str {
    match role {
        "mayor" => include_str!("../../templates/role/mayor.md"),
        "deacon" => include_str!("../../templates/role/deacon.md"),
        "boot" => include_str!("../../templates/role/boot.md"),
        "dog" => include_str!("../../templates/role/dog.md"),
        "witness" => include_str!("../../templates/role/witness.md"),
        "refinery" => include_str!("../../templates/role/refinery.md"),
        "polecat" => include_str!("../../templates/role/polecat.md"),
        "crew" => include_str!("../../templates/role/crew.md"),
        _ => include_str!("../../templates/role/overseer.md"),
    }
}

/// Returns the path of an agent's role file. None for agents that work in a repository.
fn role_file_path(town: &Town, address: &Address) -> Option<PathBuf> {
    let in_repository = matches!(
        address,
        Address::Polecat(..) | Address::Crew(..) | Address::Overseer
    );
    (!in_repository).then(|| agent_home(town, address).join(NAME))
}

fn is_our_file(path: &Path) -> bool {
    let read = foreign::read_small_file(path);
    read.is_ok_and(|text| text.is_some_and(|text| text.starts_with(FIRST_LINE.as_bytes())))
}

/// Returns true if an agent has a role file.
pub fn has_role_file(town: &Town, address: &Address) -> bool {
    role_file_path(town, address).is_some_and(|path| is_our_file(&path))
}

/// Writes the file for an agent whose program has no hooks, and removes it for any other. A foreign
/// file is kept.
pub fn ensure_role_file(town: &Town, address: &Address, has_hooks: bool) -> std::io::Result<()> {
    let Some(path) = role_file_path(town, address) else {
        return Ok(());
    };
    match (has_hooks, path.exists()) {
        (true, _) if is_our_file(&path) => file::remove_file(&path),
        (false, there) if !there || is_our_file(&path) => {
            let text = role_text(address.role()).trim_end();
            let whole = format!(
                "{FIRST_LINE}\n\n{text}\n\nAt the start of a session run `gt prime`: it shows your work and your mail.\n"
            );
            file::replace_file(&path, whole.as_bytes(), 0o644)
        }
        _ => Ok(()),
    }
}
