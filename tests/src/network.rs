//! A network of its own for another machine: a network namespace, with one wire to this machine.

use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::{Run, Town};

/// The number of the next network of this process.
static NEXT: AtomicU8 = AtomicU8::new(0);

/// A network namespace. Its wire ends here as a device of the same name.
#[derive(Debug)]
pub(crate) struct NetworkSpace {
    name: String,
    address: Ipv4Addr,
}

impl NetworkSpace {
    /// `None`, with the reason printed, where this user may not make one.
    #[expect(clippy::print_stderr, reason = "a test that is skipped says why")]
    pub(crate) fn new(town: &Town) -> Option<Self> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let process = std::process::id();
        let name = format!("gt{process}n{number}");
        // The addresses are those for benchmarks, which no real network has.
        let third = u8::try_from(process % 256).unwrap();
        let here = Ipv4Addr::new(198, 18, third, number * 4 + 1);
        let address = Ipv4Addr::new(198, 18, third, number * 4 + 2);
        let made = town
            .program_on_path("ip")
            .args(["netns", "add", &name])
            .run();
        if made.code != 0 {
            eprintln!("skipped: no network can be made: {}", made.err);
            return None;
        }
        let network = Self { name, address };
        let name = network.name.as_str();
        let near = format!("{here}/30");
        let far = format!("{address}/30");
        let lines: [&[&str]; 6] = [
            &[
                "link", "add", name, "type", "veth", "peer", "name", "wire", "netns", name,
            ],
            &["addr", "add", &near, "dev", name],
            &["link", "set", name, "up"],
            &["-n", name, "addr", "add", &far, "dev", "wire"],
            &["-n", name, "link", "set", "wire", "up"],
            &["-n", name, "link", "set", "lo", "up"],
        ];
        for line in lines {
            town.program_on_path("ip").args(line.iter().copied()).ok();
        }
        Some(network)
    }

    /// The address of the other machine.
    pub(crate) fn address(&self) -> Ipv4Addr {
        self.address
    }

    /// A program that runs in the network.
    pub(crate) fn program_inside(&self, town: &Town, words: &[&str]) -> Run {
        let ip = town.program_on_path("ip");
        ip.args(["netns", "exec", &self.name])
            .args(words.iter().copied())
    }

    pub(crate) fn set_up(&self, town: &Town, is_up: bool) {
        let state = if is_up { "up" } else { "down" };
        let ip = town.program_on_path("ip");
        ip.args(["link", "set", &self.name, state]).ok();
    }

    pub(crate) fn list_pids(&self, town: &Town) -> Vec<String> {
        let ip = town.program_on_path("ip");
        let listed = ip.args(["netns", "pids", &self.name]).ok();
        listed.out.lines().map(str::to_owned).collect()
    }

    /// Ends its programs and removes it.
    pub(crate) fn remove(&self, town: &Town) {
        for pid in self.list_pids(town) {
            town.kill(&pid);
        }
        let ip = town.program_on_path("ip");
        ip.args(["netns", "del", &self.name]).run();
        let ip = town.program_on_path("ip");
        ip.args(["link", "del", &self.name]).run();
    }
}
