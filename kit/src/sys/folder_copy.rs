//! Copies and removes trees of files that programs have built.
//!
//! A copy shares no file with its source, so a write in place changes only one of them. On a file
//! system that can share extents until a write, the copy costs little more than its names.

use std::collections::HashMap;
use std::fs::{self, File, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps};

use super::file;

/// The mode of a folder while files are put into it or removed from it.
const OPEN_FOLDER: u32 = 0o700;

/// Copies a file or a folder to a place that does not exist, with modes and modification times.
/// Links are copied as links, files with several names in the tree keep them, and pipes, sockets and
/// devices are left out. After an error, a part of the copy may be there.
pub fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    TreeCopy::default().copy_entry(from, to)
}

/// Removes a file or a folder with everything in it, also folders in which nothing may be written.
/// Nothing at the path is no error.
pub fn remove_tree(path: &Path) -> io::Result<()> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    if !found.is_dir() {
        return fs::remove_file(path);
    }
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_folders(path)?;
            fs::remove_dir_all(path)
        }
        removed => removed,
    }
}

/// Gives the owner every right in a folder and those below it.
fn open_folders(folder: &Path) -> io::Result<()> {
    fs::set_permissions(folder, Permissions::from_mode(OPEN_FOLDER))?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            open_folders(&entry.path())?;
        }
    }
    Ok(())
}

/// The device and the inode of a file.
type FileIdentity = (u64, u64);

#[derive(Debug, Default)]
struct TreeCopy {
    /// The copies of files that have several names.
    linked_files: HashMap<FileIdentity, PathBuf>,
}

impl TreeCopy {
    fn copy_entry(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let found = fs::symlink_metadata(from)?;
        if found.is_symlink() {
            std::os::unix::fs::symlink(fs::read_link(from)?, to)?;
            return set_modified(to, &found);
        }
        if found.is_dir() {
            return self.copy_folder(from, to, &found);
        }
        if !found.is_file() {
            return Ok(());
        }
        if found.nlink() > 1 {
            let identity = (found.dev(), found.ino());
            if let Some(copy) = self.linked_files.get(&identity) {
                return fs::hard_link(copy, to);
            }
            self.linked_files.insert(identity, to.to_owned());
        }
        let mut source = file::open_regular_file(from)?;
        let mut copy = File::create_new(to)?;
        // The kernel copies from file to file, and shares the extents where it can.
        io::copy(&mut source, &mut copy)?;
        copy.set_permissions(found.permissions())?;
        set_modified(to, &found)
    }

    fn copy_folder(&mut self, from: &Path, to: &Path, found: &Metadata) -> io::Result<()> {
        file::create_folder(to, OPEN_FOLDER)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            self.copy_entry(&entry.path(), &to.join(entry.file_name()))?;
        }
        fs::set_permissions(to, found.permissions())?;
        set_modified(to, found)
    }
}

/// Sets the modification time of a file, a folder or a link itself.
fn set_modified(path: &Path, found: &Metadata) -> io::Result<()> {
    let modified = Timespec {
        tv_sec: found.mtime(),
        tv_nsec: found.mtime_nsec(),
    };
    let times = Timestamps {
        last_access: modified,
        last_modification: modified,
    };
    rustix::fs::utimensat(CWD, path, &times, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_copied_tree_has_the_same_files_and_shares_none_of_them() {
        let place = tempfile::tempdir().unwrap();
        let from = place.path().join("from");
        let to = place.path().join("to");
        let outside = place.path().join("outside");
        fs::create_dir_all(from.join("closed")).unwrap();
        fs::write(from.join("closed/program"), "one").unwrap();
        fs::set_permissions(from.join("closed/program"), Permissions::from_mode(0o755)).unwrap();
        fs::hard_link(from.join("closed/program"), from.join("name")).unwrap();
        fs::write(&outside, "secret").unwrap();
        symlink("../outside", from.join("link")).unwrap();
        symlink("/", from.join("root")).unwrap();
        rustix::fs::mkfifoat(CWD, from.join("pipe"), rustix::fs::Mode::RWXU).unwrap();
        fs::set_permissions(from.join("closed"), Permissions::from_mode(0o500)).unwrap();

        copy_tree(&from, &to).unwrap();

        let original = fs::metadata(from.join("name")).unwrap();
        let copy = fs::metadata(to.join("name")).unwrap();
        assert_ne!(copy.ino(), original.ino());
        assert_eq!(copy.modified().unwrap(), original.modified().unwrap());
        assert_eq!(copy.mode(), original.mode());
        assert_eq!(
            fs::metadata(to.join("closed/program")).unwrap().ino(),
            copy.ino()
        );
        assert_eq!(
            fs::read_link(to.join("link")).unwrap(),
            Path::new("../outside")
        );
        assert_eq!(fs::read_link(to.join("root")).unwrap(), Path::new("/"));
        assert!(fs::symlink_metadata(to.join("pipe")).is_err());
        assert_eq!(
            fs::metadata(to.join("closed")).unwrap().mode() & 0o777,
            0o500
        );
        fs::write(to.join("name"), "two").unwrap();
        assert_eq!(fs::read(from.join("name")).unwrap(), b"one");
        remove_tree(&to).unwrap();
        remove_tree(&to).unwrap();
        assert!(fs::symlink_metadata(&to).is_err());
        assert_eq!(fs::read(&outside).unwrap(), b"secret");
    }
}
