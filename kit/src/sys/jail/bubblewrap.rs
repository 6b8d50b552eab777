//! Builds the command line of bubblewrap for a plan.
//!
//! No value of a variable is on it: the command line can be read by all processes of the machine
//! and inside the jail. All capabilities are dropped, because with those of root a program could
//! make the mounts of the jail writable.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use super::{JailError, JailNetwork, JailPlan, PrivatePlaces, table, to_args};
use crate::sys::exec::ChildCommand;

pub(super) const PROGRAM: &str = "bwrap";

/// A path of the jail with its content.
struct Mount {
    /// The path in the jail.
    at: PathBuf,
    content: MountContent,
}

enum MountContent {
    /// The file or folder of the host, read-only.
    ReadOnly(PathBuf),
    Writable(PathBuf),
    /// A symbolic link.
    Link(PathBuf),
    Processes,
    Devices,
    Empty,
}

pub(super) fn build_args(
    plan: &JailPlan,
    places: &PrivatePlaces,
    readable: &[PathBuf],
    command: &ChildCommand,
) -> Result<Vec<OsString>, JailError> {
    let mut args: Vec<OsString> = ["--unshare-all", "--die-with-parent", "--cap-drop", "ALL"]
        .map(OsString::from)
        .to_vec();
    if plan.network == JailNetwork::Full {
        args.push("--share-net".into());
    }
    if !plan.is_interactive {
        args.push("--new-session".into());
    }
    args.extend(["--hostname", "jail"].map(OsString::from));
    for mount in list_mounts(plan, places, readable)? {
        args.extend(mount.into_args());
    }
    // The folders that lead to the mounts.
    args.extend(["--remount-ro", "/"].map(OsString::from));
    if let Some(folder) = command.working_folder() {
        args.extend(to_args([OsStr::new("--chdir"), folder.as_os_str()]));
    }
    args.push("--".into());
    Ok(args)
}

/// Returns the mounts in the order in which they are made: a deeper path after the one above it, and
/// among mounts at one path the last one counts.
fn list_mounts(
    plan: &JailPlan,
    places: &PrivatePlaces,
    readable: &[PathBuf],
) -> Result<Vec<Mount>, JailError> {
    let mut mounts = vec![
        Mount::new("/proc", MountContent::Processes),
        Mount::new("/dev", MountContent::Devices),
        Mount::new("/run", MountContent::Empty),
        Mount::new("/tmp", MountContent::Writable(places.temporary.clone())),
        Mount::new("/var/tmp", MountContent::Writable(places.temporary.clone())),
    ];
    for path in table::system() {
        mounts.push(mount_system_path(path)?);
    }
    if let Some(home) = plan.home.as_ref().filter(|home| is_own_folder(home)) {
        mounts.push(Mount::new(
            home,
            MountContent::Writable(places.home.clone()),
        ));
    }
    for path in readable {
        add_at_both_names(&mut mounts, path, MountContent::ReadOnly)?;
    }
    for path in &plan.writable {
        add_at_both_names(&mut mounts, path, MountContent::Writable)?;
    }
    for path in plan.protected.iter().filter(|path| path.exists()) {
        add_at_both_names(&mut mounts, path, MountContent::ReadOnly)?;
    }
    for socket in &plan.sockets {
        let real = socket
            .host
            .canonicalize()
            .map_err(JailError::at(&socket.host))?;
        mounts.push(Mount::new(&socket.inside, MountContent::Writable(real)));
    }
    mounts.sort_by_key(|mount| mount.at.components().count());
    Ok(mounts)
}

/// Returns true for a home folder that can be replaced without hiding the system.
fn is_own_folder(home: &Path) -> bool {
    home.is_absolute() && !table::system().any(|path| path.starts_with(home))
}

/// A link to a folder of the system stays a link, as `/bin` to `usr/bin`.
fn mount_system_path(path: &Path) -> Result<Mount, JailError> {
    let content = if path.is_symlink() && path.is_dir() {
        MountContent::Link(path.read_link().map_err(JailError::at(path))?)
    } else {
        MountContent::ReadOnly(path.canonicalize().map_err(JailError::at(path))?)
    };
    Ok(Mount::new(path, content))
}

/// Mounts a path of the host at its name and, if that leads through links, at its real name.
fn add_at_both_names(
    mounts: &mut Vec<Mount>,
    path: &Path,
    content: fn(PathBuf) -> MountContent,
) -> Result<(), JailError> {
    let relative = || io::Error::other("it is not an absolute path");
    if !path.is_absolute() {
        return Err(JailError::at(path)(relative()));
    }
    let real = path.canonicalize().map_err(JailError::at(path))?;
    if real != path {
        mounts.push(Mount::new(path, content(real.clone())));
    }
    mounts.push(Mount::new(&real, content(real.clone())));
    Ok(())
}

impl Mount {
    fn new(at: impl Into<PathBuf>, content: MountContent) -> Self {
        Self {
            at: at.into(),
            content,
        }
    }

    fn into_args(self) -> Vec<OsString> {
        let at = self.at.as_os_str();
        let words = |option: &str, from: &Path| {
            let from = from.as_os_str();
            to_args([OsStr::new(option), from, at]).collect()
        };
        let option = |option: &str| to_args([OsStr::new(option), at]).collect();
        match &self.content {
            MountContent::ReadOnly(from) => words("--ro-bind", from),
            MountContent::Writable(from) => words("--bind", from),
            MountContent::Link(target) => words("--symlink", target),
            MountContent::Processes => option("--proc"),
            MountContent::Devices => option("--dev"),
            MountContent::Empty => option("--tmpfs"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_of(plan: &JailPlan) -> String {
        let places = plan.create_folders().unwrap();
        let readable = plan.list_readable();
        let command = ChildCommand::new("true").cwd(&plan.writable[0]);
        let args = build_args(plan, &places, &readable, &command).unwrap();
        let words: Vec<_> = args.iter().map(|word| word.to_string_lossy()).collect();
        words.join(" ")
    }

    #[test]
    fn a_deeper_mount_comes_after_the_one_above_it() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().canonicalize().unwrap();
        let path = |name: &str| root.join(name);
        for folder in ["private", "home/tree", "home/.rustup"] {
            std::fs::create_dir_all(path(folder)).unwrap();
        }
        std::fs::write(path("home/tree/.git"), "gitdir: x").unwrap();
        let plan = JailPlan {
            folder: path("private"),
            home: Some(path("home")),
            writable: vec![path("home/tree")],
            protected: vec![path("home/tree/.git")],
            network: JailNetwork::None,
            ..JailPlan::default()
        };
        let line = line_of(&plan);
        let place_of = |words: String| line.find(&words).unwrap_or_else(|| panic!("{words}"));
        let root = root.display();
        let order = [
            place_of(format!("--bind {root}/private/tmp /tmp")),
            place_of(format!("--bind {root}/private/home {root}/home ")),
            place_of(format!("--bind {root}/home/tree {root}/home/tree ")),
            place_of(format!("--ro-bind {root}/home/tree/.git")),
        ];
        assert!(order.is_sorted(), "{line}");
        assert!(line.contains(&format!("--ro-bind {root}/home/.rustup")));
        assert!(line.contains("--cap-drop ALL") && !line.contains("--share-net"));
        assert!(line.contains("--new-session"));
        let open = JailPlan {
            network: JailNetwork::Full,
            is_interactive: true,
            ..plan
        };
        let line = line_of(&open);
        assert!(line.contains("--share-net") && !line.contains("--new-session"));
    }
}
