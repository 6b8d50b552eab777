//! Owns the plugin's access to the machine: variables, files, the clock, git, the screen.
#![expect(
    clippy::disallowed_methods,
    reason = "this module is the owner of all that in this crate"
)]

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The maximum size of a file. Handwritten files are smaller.
const MAX_TEXT: u64 = 1024 * 1024;

/// The arguments of the process, the program's name first.
pub fn process_args() -> Vec<OsString> {
    std::env::args_os().collect()
}

/// Returns a variable. One that is not set or not UTF-8 counts as empty.
pub fn env_var(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

pub fn working_dir() -> PathBuf {
    std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."))
}

pub fn program_path() -> io::Result<PathBuf> {
    std::env::current_exe()
}

/// The current day in UTC, such as `2026-01-13`.
pub fn format_today() -> String {
    let now = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC);
    now.date().to_string()
}

/// Writes to standard output. A closed output is no error.
pub fn print_text(text: &str) -> io::Result<()> {
    let mut out = io::stdout();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Writes a line to standard error.
pub fn print_error(text: &str) {
    // Without standard error there is nowhere to report the failure.
    writeln!(io::stderr(), "{text}").ok();
}

/// Reads a text of bounded size; `None` if the file does not exist.
pub fn read_text(path: &Path) -> io::Result<Option<String>> {
    let meta = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        meta => meta?,
    };
    if !meta.is_file() || meta.len() > MAX_TEXT {
        return Err(io::Error::other("it is no file of at most 1 MiB"));
    }
    fs::read_to_string(path).map(Some)
}

/// Replaces a file atomically. Creates its folder if necessary.
pub fn replace_file(path: &Path, text: &str, mode: u32) -> io::Result<()> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidFilename.into());
    };
    fs::create_dir_all(folder)?;
    let fresh = folder.join(format!(".{}.{}", name.display(), std::process::id()));
    // A file of a killed process with the same id.
    fs::remove_file(&fresh).ok();
    let written = (|| {
        let mut file = OpenOptions::new()
            .create_new(true)
            .write(true)
            .mode(mode)
            .open(&fresh)?;
        file.write_all(text.as_bytes())?;
        file.set_permissions(fs::Permissions::from_mode(mode))?;
        file.sync_all()?;
        fs::rename(&fresh, path)
    })();
    if written.is_err() {
        fs::remove_file(&fresh).ok();
    }
    written
}

/// Locks a file until the returned value is dropped.
pub fn lock_file(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)?;
    file.lock()?;
    Ok(file)
}

/// Lists the files of a folder with this extension, sorted by name. A folder that does not exist
/// has none.
pub fn list_files(folder: &Path, ending: &str) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let hidden = path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if !hidden
            && path
                .extension()
                .is_some_and(|extension| extension == ending)
        {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Runs git in a folder and returns its output.
pub fn run_git(folder: &Path, args: &[&str]) -> io::Result<Vec<u8>> {
    run_git_with(folder, args, &[])
}

/// Writes the files of a commit of a bare repository to an empty folder, without its other files.
pub fn export_tree(repository: &Path, commit: &str, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let index = folder.join(".index");
    let env = [
        ("GIT_DIR", repository),
        ("GIT_WORK_TREE", folder),
        ("GIT_INDEX_FILE", index.as_path()),
    ];
    run_git_with(folder, &["read-tree", commit], &env)?;
    run_git_with(folder, &["checkout-index", "--all", "--quiet"], &env)?;
    fs::remove_file(index)
}

/// Removes a folder with all its files.
pub fn remove_folder(folder: &Path) -> io::Result<()> {
    fs::remove_dir_all(folder)
}

fn run_git_with(folder: &Path, args: &[&str], env: &[(&str, &Path)]) -> io::Result<Vec<u8>> {
    let mut git = Command::new("git");
    // A bare repository is named, because a user may forbid git to find one.
    if folder.join("HEAD").is_file() && folder.join("objects").is_dir() {
        git.env("GIT_DIR", folder);
    }
    let output = git
        .args(["-c", "core.hooksPath=/dev/null"])
        .args(args)
        .envs(env.iter().copied())
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let words = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(io::Error::other(format!("git {}: {words}", args.join(" "))))
}
