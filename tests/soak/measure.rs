//! Measures the cost of a town from `/proc`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use town_tests::Town;

/// Ticks of the clock that `/proc` counts CPU time in.
const TICKS: f64 = 100.0;

/// What was seen so far.
pub(crate) struct Samples {
    root: PathBuf,
    folder: String,
    /// The CPU time of each daemon that there was, in seconds.
    daemons: BTreeMap<u32, f64>,
    /// The CPU time of all daemons, in seconds.
    pub(crate) cpu: f64,
    /// The most memory that a daemon had, in MiB.
    pub(crate) memory: f64,
    /// The most processes that the town had at once.
    pub(crate) processes: usize,
}

impl Samples {
    pub(crate) fn begin(town: &Town) -> Self {
        Self {
            root: town.root(),
            folder: town
                .path("")
                .to_string_lossy()
                .trim_end_matches('/')
                .to_owned(),
            daemons: BTreeMap::new(),
            cpu: 0.0,
            memory: 0.0,
            processes: 0,
        }
    }

    /// Looks at the processes now.
    pub(crate) fn take(&mut self) {
        if let Some(pid) = self.daemon()
            && let Some((cpu, memory)) = cost(pid)
        {
            self.daemons.insert(pid, cpu);
            self.cpu = self.daemons.values().sum();
            self.memory = self.memory.max(memory);
        }
        self.processes = self.processes.max(self.pids().len());
    }

    /// The daemon's process.
    pub(crate) fn daemon(&self) -> Option<u32> {
        let text = std::fs::read_to_string(self.root.join("daemon/daemon.pid")).ok()?;
        text.trim().parse().ok()
    }

    /// The processes that have the town's folder in their environment.
    pub(crate) fn pids(&self) -> Vec<u32> {
        let own = std::process::id();
        let entries = std::fs::read_dir("/proc").unwrap().flatten();
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let is_ours = |pid: &u32| {
            let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let folder = self.folder.as_bytes();
            *pid != own && environ.windows(folder.len()).any(|part| part == folder)
        };
        pids.filter(is_ours).collect()
    }

    /// How long the daemon took to look at the town and to decide, each time, in milliseconds.
    pub(crate) fn looks(&self) -> Vec<f64> {
        let log = std::fs::read_to_string(self.root.join("daemon/daemon.log"));
        let log = log.unwrap_or_default();
        let micros = log.lines().filter_map(|line| {
            let (_, rest) = line.split_once("looked micros=")?;
            rest.split_whitespace().next()?.parse::<f64>().ok()
        });
        micros.map(|micros| micros / 1000.0).collect()
    }
}

/// The CPU time of a process in seconds, and its memory in MiB.
pub(crate) fn cost(pid: u32) -> Option<(f64, f64)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks: f64 = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some((ticks / TICKS, kib / 1024.0))
}

/// The value below which so many of a hundred are.
pub(crate) fn quantile(values: &[f64], percent: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    sorted
        .get(last * percent / 100)
        .copied()
        .unwrap_or_default()
}
