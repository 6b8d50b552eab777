//! The folder of the sockets of a user.

use std::path::PathBuf;

use kit::sys::Env;

/// Returns the folder of sockets of this user. Its path is short, because a socket allows no long
/// one.
pub fn find_socket_folder(env: &Env) -> PathBuf {
    match env
        .get("XDG_RUNTIME_DIR")
        .map(PathBuf::from)
        .filter(|path| path.is_dir())
    {
        Some(folder) => folder.join("gastown"),
        None => {
            let uid = rustix::process::getuid().as_raw();
            kit::sys::env::temp_dir().join(format!("gastown-{uid}"))
        }
    }
}
