//! Identifies the current boot of the machine. Data that was written but not synced in an earlier
//! boot may be lost.

use std::sync::OnceLock;

/// Returns an id of the current boot, if the system provides one.
pub fn boot_id() -> Option<u128> {
    static ID: OnceLock<Option<u128>> = OnceLock::new();
    *ID.get_or_init(read_boot_id)
}

#[cfg(target_os = "linux")]
fn read_boot_id() -> Option<u128> {
    use std::io::Read;
    let mut text = [0; 64];
    let mut file = std::fs::File::open("/proc/sys/kernel/random/boot_id").ok()?;
    let length = file.read(&mut text).ok()?;
    let text = std::str::from_utf8(&text[..length]).ok()?;
    u128::from_str_radix(&text.trim().replace('-', ""), 16).ok()
}

#[cfg(not(target_os = "linux"))]
fn read_boot_id() -> Option<u128> {
    None
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    #[test]
    fn the_boot_id_is_stable() {
        assert!(super::read_boot_id().is_some_and(|id| id != 0));
        assert_eq!(super::read_boot_id(), super::boot_id());
    }
}
