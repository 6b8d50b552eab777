//! Other machines: a home folder of their own, reached through a command that can be cut, or by ssh.

use std::fs;
use std::io::Write as _;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

use crate::network::NetworkSpace;
use crate::{Run, Town, eventually};

/// The size of the disk of a machine in a network of its own.
const DISK_SIZE: &str = "400m";

/// A machine that a town reaches as a host.
pub struct FarMachine<'t> {
    town: &'t Town,
    /// The name of the host.
    pub name: String,
    /// The folder of its user.
    pub home: PathBuf,
    /// The difference of its clock, in the words of libfaketime.
    clock: Option<String>,
    /// Its ssh server.
    server: Option<Child>,
    network: Option<NetworkSpace>,
    /// Variables of its user.
    variables: String,
}

impl<'t> FarMachine<'t> {
    /// A machine `big` that the town does not know yet.
    pub fn new(town: &'t Town) -> Self {
        let machine = Self::place(town, "big", None);
        machine.write_script("gt box serve");
        machine
    }

    /// The machine `big`, whose clock is wrong.
    pub fn with_clock(town: &'t Town, difference: &str) -> Self {
        let machine = Self::place(town, "big", Some(difference));
        machine.write_script("gt box serve");
        machine
    }

    fn place(town: &'t Town, name: &str, clock: Option<&str>) -> Self {
        let machine = Self {
            town,
            name: name.to_owned(),
            home: town.path(&format!("far-{name}")),
            clock: clock.map(str::to_owned),
            server: None,
            network: None,
            variables: String::new(),
        };
        machine.make_folders();
        machine
    }

    fn make_folders(&self) {
        for folder in ["home", "home/bin", "run", "tmp"] {
            let folder = self.home.join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        }
    }

    /// A machine with an ssh server, which the town's `ssh` knows as `big-machine`.
    pub fn with_ssh(town: &'t Town) -> Self {
        Self::with_variables(town, &[])
    }

    /// A machine with an ssh server whose user has variables.
    pub fn with_variables(town: &'t Town, variables: &[(&str, String)]) -> Self {
        let mut machine = Self::place(town, "big", None);
        let words = variables
            .iter()
            .map(|(name, value)| format!("{name}={value} "));
        machine.variables = words.collect();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        drop(listener);
        machine.serve_ssh(address);
        machine
    }

    /// A machine in a network of its own, with a disk of its own and an ssh server, which the town's
    /// `ssh` knows as `NAME-machine`. `None`, with the reason printed, where this user may not make one.
    pub fn in_network(town: &'t Town, name: &str, clock: &str) -> Option<Self> {
        let network = NetworkSpace::new(town)?;
        let mut machine = Self::place(town, name, Some(clock));
        let disk = ["-t", "tmpfs", "-o", &format!("size={DISK_SIZE}"), "tmpfs"];
        let mount = town.program_on_path("mount").args(disk);
        mount.args([machine.home.to_str().unwrap()]).ok();
        machine.make_folders();
        let address = SocketAddr::new(IpAddr::V4(network.address()), 22);
        machine.network = Some(network);
        machine.serve_ssh(address);
        Some(machine)
    }

    fn serve_ssh(&mut self, address: SocketAddr) {
        self.write_script("sh -c \"$SSH_ORIGINAL_COMMAND\"");
        let keys = self.town.path(&format!("keys-{}", self.name));
        fs::create_dir(&keys).unwrap();
        for key in ["host_key", "user_key"] {
            let keygen = self.town.program_on_path("ssh-keygen");
            let path = keys.join(key);
            let options = ["-q", "-t", "ed25519", "-N", "", "-f"];
            keygen.args(options).args([path.to_str().unwrap()]).ok();
        }
        let keys = keys.display();
        let (ip, port) = (address.ip(), address.port());
        let server = format!(
            "Port {port}\nListenAddress {ip}\nHostKey {keys}/host_key\nPidFile none\nStrictModes no\n\
             AuthorizedKeysFile {keys}/user_key.pub\nPermitRootLogin yes\nPasswordAuthentication no\n\
             ForceCommand {}\n",
            self.script().display()
        );
        fs::write(self.server_config(), server).unwrap();
        let client = format!(
            "Host {}-machine\nHostName {ip}\nPort {port}\nIdentityFile {keys}/user_key\nIdentitiesOnly yes\n\
             StrictHostKeyChecking no\nUserKnownHostsFile {keys}/known_hosts\n",
            self.name
        );
        let config = self.town.path("ssh_config");
        let mut file = fs::File::options()
            .append(true)
            .create(true)
            .open(&config)
            .unwrap();
        file.write_all(client.as_bytes()).unwrap();
        // ssh finds its configuration by the system's record of the user, not by HOME.
        let ssh = self.town.path("bin/ssh");
        let line = format!(
            "#!/bin/sh\nexec /usr/bin/ssh -F {} \"$@\"\n",
            config.display()
        );
        write_program(&ssh, &line);
        fs::create_dir_all("/run/sshd").ok();
        self.start_server(address);
    }

    fn server_config(&self) -> PathBuf {
        self.town.path(&format!("keys-{}/sshd_config", self.name))
    }

    fn start_server(&mut self, address: SocketAddr) {
        let config = self.server_config();
        let words = ["/usr/sbin/sshd", "-D", "-f", config.to_str().unwrap()];
        let program = match &self.network {
            Some(network) => network.program_inside(self.town, &words),
            None => self
                .town
                .program_on_path(words[0])
                .args(words[1..].iter().copied()),
        };
        self.server = Some(program.start());
        eventually("the ssh server", || {
            TcpStream::connect_timeout(&address, Duration::from_secs(1)).ok()
        });
    }

    /// Writes the program that a connection starts.
    fn write_script(&self, command: &str) {
        let clock = match &self.clock {
            Some(difference) => format!(
                "LD_PRELOAD=$(echo /usr/lib/*/faketime/libfaketime.so.1) FAKETIME={difference} \
                 FAKETIME_DONT_FAKE_MONOTONIC=1"
            ),
            None => String::new(),
        };
        if self.clock.is_some() {
            // gt passes on no such variable.
            for program in ["date", "git", "tmux"] {
                let line = format!("#!/bin/sh\nexport {clock}\nexec /usr/bin/{program} \"$@\"\n");
                write_program(&self.home.join("home/bin").join(program), &line);
            }
        }
        let script = format!(
            "#!/bin/sh\n[ -e {0}/cut ] && {{ echo 'no route to big' >&2; exit 255; }}\necho $$ > {0}/pipe\n\
             exec env -i HOME={0}/home XDG_RUNTIME_DIR={0}/run TMUX_TMPDIR={0}/run TMPDIR={0}/tmp TERM=\"$TERM\" PATH={0}/home/bin:{1} \
             SSH_ORIGINAL_COMMAND=\"$SSH_ORIGINAL_COMMAND\" {clock} {2}{command}\n",
            self.home.display(),
            self.path(),
            self.variables,
        );
        write_program(&self.script(), &script);
    }

    fn path(&self) -> String {
        let variables = self.town.variables();
        let path = variables.iter().find(|(name, _)| name == "PATH");
        path.map(|(_, path)| path.clone()).unwrap()
    }

    fn script(&self) -> PathBuf {
        self.town.path(&format!("connect-{}", self.name))
    }

    /// `gt host add`.
    pub fn add(&self) -> Run {
        self.add_with(&[])
    }

    /// `gt host add` with further options.
    pub fn add_with(&self, options: &[&str]) -> Run {
        let script = self.script().display().to_string();
        let line = ["host", "add", &self.name, "--command"];
        self.town
            .gt(line.iter().chain(options).copied())
            .args(["--", script.as_str()])
    }

    /// Cuts the connection, so that no new one can be made.
    pub fn cut(&self) {
        fs::write(self.home.join("cut"), "").unwrap();
        self.break_pipe();
    }

    /// Ends the connection that there is. A new one can be made.
    pub fn break_pipe(&self) {
        let pid = fs::read_to_string(self.home.join("pipe")).unwrap();
        self.town.kill(pid.trim());
    }

    pub fn mend(&self) {
        fs::remove_file(self.home.join("cut")).unwrap();
    }

    /// Lets the network of the machine carry nothing, or something again. Nobody hears of it.
    pub fn set_network(&self, is_up: bool) {
        self.network.as_ref().unwrap().set_up(self.town, is_up);
    }

    /// The processes of a machine in a network of its own, with the names of their programs.
    pub fn processes(&self) -> Vec<(String, String)> {
        let pids = self.network.as_ref().unwrap().list_pids(self.town);
        let names = pids.into_iter().map(|pid| {
            let name = fs::read_to_string(format!("/proc/{pid}/comm"));
            (pid, name.as_deref().unwrap_or("").trim().to_owned())
        });
        names.collect()
    }

    /// Ends the programs of that name.
    pub fn kill_programs(&self, name: &str) {
        for (pid, _) in self.processes().iter().filter(|(_, of)| of == name) {
            self.town.kill(pid);
        }
    }

    /// Ends all of its ssh server, and starts it again.
    pub fn restart_server(&mut self) {
        self.kill_programs("sshd");
        self.server.as_mut().unwrap().wait().unwrap();
        let address = self.network.as_ref().unwrap().address();
        self.start_server(SocketAddr::new(IpAddr::V4(address), 22));
    }

    /// Leaves no room on its disk.
    pub fn fill_disk(&self) {
        let sh = self.town.program_on_path("sh").at(&self.home);
        sh.args(["-c", "cat /dev/zero > filler 2>/dev/null; true"])
            .ok();
    }

    pub fn free_disk(&self) {
        fs::remove_file(self.home.join("filler")).unwrap();
    }

    /// The folder that stands for the root of the town.
    pub fn root(&self) -> PathBuf {
        let place = self.home.join("home/.local/share/gastown/box");
        let mut towns = fs::read_dir(place).unwrap();
        towns.next().unwrap().unwrap().path()
    }

    /// The sandbox of a worker `web/<name>`.
    pub fn sandbox(&self, worker: &str) -> PathBuf {
        let (rig, name) = worker.split_once('/').unwrap();
        self.root().join(rig).join("polecats").join(name).join(rig)
    }

    /// The time at which its tmux server began, by its own clock.
    pub fn tmux_started(&self) -> jiff::Timestamp {
        let socket = self.sockets().into_iter().next().unwrap();
        let tmux = self.town.program_on_path("tmux");
        let line = ["-S", socket.to_str().unwrap(), "display-message", "-p"];
        let shown = tmux.args(line).args(["#{start_time}"]).ok();
        jiff::Timestamp::from_second(shown.text().parse().unwrap()).unwrap()
    }

    /// The sockets of its tmux servers.
    fn sockets(&self) -> Vec<PathBuf> {
        let Ok(folders) = fs::read_dir(self.home.join("run")) else {
            return Vec::new();
        };
        let tmux = folders.flatten().map(|entry| entry.path());
        let tmux = tmux.filter(|path| {
            path.file_name()
                .unwrap()
                .to_string_lossy()
                .starts_with("tmux-")
        });
        tmux.flat_map(|folder| {
            fs::read_dir(folder)
                .unwrap()
                .flatten()
                .map(|entry| entry.path())
                .collect::<Vec<_>>()
        })
        .collect()
    }
}

fn write_program(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

impl Drop for FarMachine<'_> {
    fn drop(&mut self) {
        if let Some(server) = &mut self.server {
            // It may have ended.
            server.kill().ok();
            server.wait().ok();
        }
        let link = format!(".runtime/hosts/{}/link.pid", self.name);
        if let Ok(pid) = fs::read_to_string(self.town.root().join(link)) {
            self.town.kill(pid.trim());
        }
        for socket in self.sockets() {
            let tmux = self.town.program_on_path("tmux");
            tmux.args(["-S", socket.to_str().unwrap(), "kill-server"])
                .run();
        }
        if let Some(network) = &self.network {
            network.remove(self.town);
            let umount = self.town.program_on_path("umount");
            umount.args(["-l", self.home.to_str().unwrap()]).run();
        }
    }
}
