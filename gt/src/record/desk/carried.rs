//! The files of the user that new work trees of a rig get: those below `.runtime/overlay`.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::town::RigLayout;

/// The maximum number of carried files, and of entries that are read to find them.
const MAX_FILES: usize = 1000;

/// A carried file of a rig.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CarriedFile {
    /// The path below a work tree, with `/`.
    pub name: String,
    /// The rig's own copy.
    pub path: PathBuf,
    pub mode: u32,
}

/// Lists the carried files of a rig by name. Links and special files are left out.
pub fn list_carried_files(rig: &RigLayout) -> io::Result<Vec<CarriedFile>> {
    let mut files = Vec::new();
    visit_folder(&rig.overlay(), "", &mut files)?;
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}

fn visit_folder(folder: &Path, prefix: &str, files: &mut Vec<CarriedFile>) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let kind = entry.file_type()?;
        let path = entry.path();
        let Ok(name) = entry.file_name().into_string() else {
            let shown = path.display();
            let reason = format!("{shown} has a name that is no UTF-8: rename it");
            return Err(io::Error::new(io::ErrorKind::InvalidFilename, reason));
        };
        let name = format!("{prefix}{name}");
        if kind.is_dir() {
            visit_folder(&path, &format!("{name}/"), files)?;
        } else if kind.is_file() {
            if files.len() == MAX_FILES {
                let reason = format!(
                    "{} has more than {MAX_FILES} files: make the others in the setup command",
                    folder.display()
                );
                return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
            }
            let mode = entry.metadata()?.permissions().mode();
            files.push(CarriedFile { name, path, mode });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::town::TownLayout;

    #[test]
    fn carried_files_are_listed_with_their_folders_and_without_links() {
        let folder = tempfile::tempdir().unwrap();
        let rig = TownLayout::new(folder.path()).rig("web");
        assert_eq!(list_carried_files(&rig).unwrap(), []);
        fs::create_dir_all(rig.overlay().join("config/local")).unwrap();
        fs::write(rig.overlay().join(".env"), "A=1").unwrap();
        fs::write(rig.overlay().join("config/local/db.yml"), "").unwrap();
        symlink("/etc/passwd", rig.overlay().join("passwd")).unwrap();
        symlink("/etc", rig.overlay().join("etc")).unwrap();
        let files = list_carried_files(&rig).unwrap();
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, [".env", "config/local/db.yml"]);
    }
}
