//! Measures the machine: free memory, free disk space and load. A value that the system does not
//! report is `None`.

use std::path::Path;

use super::file;

const MIB: u64 = 1024 * 1024;

/// Returns the memory in MiB that programs can get without swapping, from `/proc/meminfo`.
pub fn free_memory() -> Option<u64> {
    parse_free_memory(&read_text("/proc/meminfo")?)
}

fn parse_free_memory(meminfo: &str) -> Option<u64> {
    let available = meminfo
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = available.split_whitespace().next()?.parse().ok()?;
    Some(kib / 1024)
}

/// Returns the disk space in MiB that the user can fill in the file system of a path.
pub fn free_disk(path: &Path) -> Option<u64> {
    let volume = rustix::fs::statvfs(path).ok()?;
    Some(volume.f_bavail.saturating_mul(volume.f_frsize) / MIB)
}

/// Returns the number of processes that want a processor, as a percentage of the processors: the
/// average of the last minute.
pub fn load_percent() -> Option<u64> {
    let load = parse_load(&read_text("/proc/loadavg")?)?;
    let processors = std::thread::available_parallelism().ok()?.get() as u64;
    Some(load / processors)
}

/// Returns the first average of `/proc/loadavg` in percent of one processor.
fn parse_load(loadavg: &str) -> Option<u64> {
    let (whole, hundredths) = loadavg.split_whitespace().next()?.split_once('.')?;
    let whole: u64 = whole.parse().ok()?;
    Some(whole * 100 + hundredths.parse::<u64>().ok()?)
}

fn read_text(path: &str) -> Option<String> {
    let bytes = file::read_file_if_exists(Path::new(path)).ok()??;
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_and_load_are_read_as_the_kernel_writes_them() {
        let meminfo = "MemTotal:  8000000 kB\nMemFree: 100 kB\nMemAvailable:   2048000 kB\n";
        assert_eq!(parse_free_memory(meminfo), Some(2000));
        assert_eq!(parse_free_memory("MemTotal: 8 kB\n"), None);
        assert_eq!(parse_load("1.25 0.50 0.10 2/345 678\n"), Some(125));
        assert_eq!(parse_load(""), None);
    }

    #[test]
    fn the_disk_of_a_folder_has_space() {
        let folder = tempfile::tempdir().unwrap();
        assert!(free_disk(folder.path()).is_some_and(|free| free > 0));
        assert_eq!(free_disk(&folder.path().join("missing")), None);
    }
}
