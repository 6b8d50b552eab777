//! Copies the carried files of a rig into its work trees, and keeps them out of git: they may hold
//! secrets.
//!
//! - A file that the repository tracks stays as the repository has it.
//! - A copy that no one changed follows the rig's file: it is replaced, and removed with it.
//! - A copy that a worker changed stays while its work goes on. New work starts with the rig's file,
//!   and the changed copy is saved beside the tree.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use bd::git::GitError;
use kit::sys::{ConfinedFolder, InsideError, file, foreign};

use super::unsaved::pattern_of_file;
use crate::record::desk::{CarriedFile, DeskState, TreeId, hash_parts, list_carried_files};
use crate::town::event::event;
use crate::town::sandbox_git::open_tree;
use crate::town::{Rig, RigLayout};

/// The maximum size of a carried file.
const MAX_SIZE: u64 = 16 << 20;

/// The treatment of copies that a worker changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangedCopies {
    /// The work in the tree goes on.
    Keep,
    /// New work begins in the tree.
    Replace,
}

/// A copy that a worker had changed and that was replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReplacedCopy {
    name: String,
    /// The place of the changed copy.
    kept: PathBuf,
}

/// Records copies that were replaced as events.
pub(crate) fn report_replaced_copies(rig: &Rig, tree: &Path, replaced: &[ReplacedCopy]) {
    for ReplacedCopy { name, kept } in replaced {
        rig.town().record_event(&event!(CarriedFileReplaced,
            rig: rig.name(), tree: tree, file: name, kept: kept,
        ));
    }
}

/// The reason why a carried file was not copied.
#[derive(Debug, thiserror::Error)]
pub enum CarryError {
    #[error("cannot carry {}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error(transparent)]
    Inside(#[from] InsideError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Record(anyhow::Error),
}

impl CarryError {
    fn at(path: &Path) -> impl Fn(io::Error) -> Self {
        |source| Self::Io {
            path: path.to_owned(),
            source,
        }
    }
}

/// Copies the carried files of a rig into a work tree. Returns the changed copies that were
/// replaced.
pub(crate) fn carry_files(
    rig: &RigLayout,
    tree: &Path,
    changed: ChangedCopies,
) -> Result<Vec<ReplacedCopy>, CarryError> {
    let mut files = list_carried_files(rig).map_err(CarryError::at(&rig.overlay()))?;
    let before = DeskState::load(rig, tree);
    if files.is_empty() && before.carried.is_empty() {
        return Ok(Vec::new());
    }
    let git = open_tree(tree)?;
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    let tracked: BTreeSet<PathBuf> = if names.is_empty() {
        BTreeSet::new()
    } else {
        git.tracked(&names)?.into_iter().collect()
    };
    files.retain(|file| !tracked.contains(Path::new(&file.name)));
    let id = TreeId::read(tree).map_err(CarryError::at(tree))?;
    let mut state = before.clone().for_tree(id);
    let copier = Copier {
        rig,
        tree,
        inside: ConfinedFolder::open(tree)?,
        changed,
    };
    let mut replaced = Vec::new();
    for carried in &files {
        git.exclude(&pattern_of_file(&carried.name))?;
        replaced.extend(copier.copy(carried, &mut state)?);
    }
    let dropped: Vec<String> = state
        .carried
        .keys()
        .filter(|name| !files.iter().any(|file| file.name == **name))
        .cloned()
        .collect();
    for name in dropped {
        copier.remove_dropped(&name, &mut state)?;
    }
    if state != before {
        state.save(rig, tree).map_err(CarryError::Record)?;
    }
    Ok(replaced)
}

/// The copy of a carried file in a work tree.
enum FoundCopy {
    Missing,
    File(Vec<u8>),
    /// More than a carried file may have.
    Large,
    /// A link, or something else that is no file.
    Link,
}

struct Copier<'a> {
    rig: &'a RigLayout,
    tree: &'a Path,
    inside: ConfinedFolder,
    changed: ChangedCopies,
}

impl Copier<'_> {
    fn copy(
        &self,
        carried: &CarriedFile,
        state: &mut DeskState,
    ) -> Result<Option<ReplacedCopy>, CarryError> {
        let name = &carried.name;
        let at = CarryError::at(&carried.path);
        let content = foreign::read_foreign_file(&carried.path, MAX_SIZE).map_err(&at)?;
        // Removed by a user in this moment.
        let Some(content) = content else {
            return Ok(None);
        };
        let mut replaced = None;
        let there = self.read_copy(name)?;
        let is_same = matches!(&there, FoundCopy::File(text) if *text == content);
        let is_changed = match &there {
            FoundCopy::Missing => false,
            FoundCopy::File(text) => {
                !is_same && state.carried.get(name) != Some(&hash_parts([text]))
            }
            FoundCopy::Link | FoundCopy::Large => true,
        };
        if is_changed {
            if self.changed == ChangedCopies::Keep {
                return Ok(None);
            }
            match there {
                // A link of a worker has no content, and nothing is written through it.
                FoundCopy::Link => self.inside.remove(name)?,
                _ => replaced = self.save_changed(name)?,
            }
        }
        if !is_same {
            self.inside.write(name, &content, carried.mode)?;
        }
        state.carried.insert(name.clone(), hash_parts([&content]));
        Ok(replaced)
    }

    fn read_copy(&self, name: &str) -> Result<FoundCopy, CarryError> {
        match self.inside.read(name, MAX_SIZE) {
            Ok(None) => Ok(FoundCopy::Missing),
            Ok(Some(text)) => Ok(FoundCopy::File(text)),
            Err(InsideError::Io { source, .. }) if source.kind() == io::ErrorKind::FileTooLarge => {
                Ok(FoundCopy::Large)
            }
            // A link in the place of a folder stays in the way.
            Err(InsideError::InTheWay { path, .. }) if path == self.tree.join(name) => {
                Ok(FoundCopy::Link)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Removes the copy of a file that the rig no longer carries, unless a worker changed it.
    fn remove_dropped(&self, name: &str, state: &mut DeskState) -> Result<(), CarryError> {
        let known = state.carried.remove(name);
        let there = self.inside.read(name, MAX_SIZE);
        if let Ok(Some(there)) = there
            && known == Some(hash_parts([&there]))
        {
            self.inside.remove(name)?;
        }
        Ok(())
    }

    /// Saves a changed copy, in place of the one before.
    fn save_changed(&self, name: &str) -> Result<Option<ReplacedCopy>, CarryError> {
        let Some(mut copy) = self.inside.open_file(name)? else {
            return Ok(None);
        };
        let kept = self.rig.changed_carried_files(self.tree).join(name);
        let folder = kept.parent().unwrap_or(&kept);
        file::create_folder(folder, 0o700)
            .and_then(|()| {
                file::replace_file_with(&kept, 0o600, |to| io::copy(&mut copy, to).map(drop))
            })
            .map_err(CarryError::at(&kept))?;
        let name = name.to_owned();
        Ok(Some(ReplacedCopy { name, kept }))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::testing::TestTown;

    #[test]
    fn carried_files_follow_the_rig_until_a_worker_changes_them() {
        let place = TestTown::new();
        place.add_rig("web", None).unwrap();
        let rig = place.town.find_rig("web").unwrap();
        let tree = place.create_tree("tree", &[("tracked", "of the repository")]);
        let at = |name: &str| tree.folder().join(name);
        let read = |name: &str| fs::read_to_string(at(name)).unwrap();
        let put = |name: &str, text: &str| {
            let path = rig.overlay().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
        };
        let carry = |changed| carry_files(&rig, tree.folder(), changed).unwrap().len();
        put(".env", "one");
        put("config/db.yml", "one");
        put("tracked", "secret");
        carry(ChangedCopies::Replace);
        assert_eq!(
            (read(".env"), read("config/db.yml")),
            ("one".into(), "one".into())
        );
        assert_eq!(read("tracked"), "of the repository");
        let mode = fs::metadata(at(".env")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(tree.status().unwrap().is_empty(), "git ignores them");

        put(".env", "two");
        fs::write(at("config/db.yml"), "a worker's").unwrap();
        put("config/db.yml", "two");
        carry(ChangedCopies::Keep);
        assert_eq!(
            (read(".env"), read("config/db.yml")),
            ("two".into(), "a worker's".into())
        );
        assert_eq!(carry(ChangedCopies::Replace), 1);
        assert_eq!(read("config/db.yml"), "two");
        let kept = rig
            .changed_carried_files(tree.folder())
            .join("config/db.yml");
        assert_eq!(fs::read_to_string(kept).unwrap(), "a worker's");

        fs::write(at(".env"), "a worker's").unwrap();
        for name in [".env", "config/db.yml"] {
            fs::remove_file(rig.overlay().join(name)).unwrap();
        }
        carry(ChangedCopies::Keep);
        assert_eq!(read(".env"), "a worker's", "a changed copy is not removed");
        assert!(!at("config/db.yml").exists());
    }

    #[test]
    fn a_link_in_a_tree_leads_no_carried_file_out_of_it() {
        let place = TestTown::new();
        place.add_rig("web", None).unwrap();
        let rig = place.town.find_rig("web").unwrap();
        let tree = place.create_tree("tree", &[("file", "")]);
        let outside = place.path_beside("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("db.yml"), "of another").unwrap();
        symlink(&outside, tree.folder().join("config")).unwrap();
        fs::create_dir_all(rig.overlay().join("config")).unwrap();
        fs::write(rig.overlay().join("config/db.yml"), "secret").unwrap();
        carry_files(&rig, tree.folder(), ChangedCopies::Replace).unwrap_err();
        let read_outside = || fs::read_to_string(outside.join("db.yml")).unwrap();
        assert_eq!(read_outside(), "of another");
        fs::remove_file(tree.folder().join("config")).unwrap();
        fs::create_dir(tree.folder().join("config")).unwrap();
        let copy = tree.folder().join("config/db.yml");
        symlink(outside.join("db.yml"), &copy).unwrap();
        carry_files(&rig, tree.folder(), ChangedCopies::Keep).unwrap();
        assert!(copy.is_symlink());
        carry_files(&rig, tree.folder(), ChangedCopies::Replace).unwrap();
        assert!(!copy.is_symlink());
        assert_eq!(fs::read_to_string(&copy).unwrap(), "secret");
        assert_eq!(read_outside(), "of another");
        // A copy that is too large for a carried file is no way to leave a file to the next worker.
        fs::write(&copy, vec![0; 17 << 20]).unwrap();
        let replaced = carry_files(&rig, tree.folder(), ChangedCopies::Replace).unwrap();
        let kept = &replaced[0].kept;
        assert_eq!(fs::metadata(kept).unwrap().len(), 17 << 20);
        assert_eq!(fs::read_to_string(&copy).unwrap(), "secret");
    }
}
