use std::io::ErrorKind;
use std::path::Path;

/// Returns the text of a file. Empty while there is none.
pub fn read_text(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    match std::fs::read(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        Err(error) => panic!("{}: {error}", path.display()),
    }
}
