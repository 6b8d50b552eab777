//! Another machine: a home folder of its own, reached through a command that can be cut.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Child;

use crate::{Run, Town, eventually};

/// A machine that a town reaches as the host `big`.
pub struct FarMachine<'t> {
    town: &'t Town,
    /// The folder of its user.
    pub home: PathBuf,
    /// Its ssh server.
    server: Option<Child>,
}

impl<'t> FarMachine<'t> {
    /// A machine that the town does not know yet.
    pub fn new(town: &'t Town) -> Self {
        let machine = Self {
            town,
            home: town.path("far"),
            server: None,
        };
        for folder in ["home", "run", "tmp"] {
            let folder = machine.home.join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        }
        machine.write_script("gt box serve");
        machine
    }

    /// A machine with an ssh server, which the town's `ssh` knows as `big-machine`.
    pub fn with_ssh(town: &'t Town) -> Self {
        let mut machine = Self::new(town);
        machine.write_script("sh -c \"$SSH_ORIGINAL_COMMAND\"");
        let folder = machine.home.display().to_string();
        for key in ["host_key", "user_key"] {
            let keygen = town.program_on_path("ssh-keygen");
            let path = machine.home.join(key);
            keygen
                .args([
                    "-q",
                    "-t",
                    "ed25519",
                    "-N",
                    "",
                    "-f",
                    path.to_str().unwrap(),
                ])
                .ok();
        }
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        let server = format!(
            "Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host_key\nPidFile none\nStrictModes no\n\
             AuthorizedKeysFile {folder}/user_key.pub\nPermitRootLogin yes\nPasswordAuthentication no\n\
             ForceCommand {folder}/connect\n"
        );
        fs::write(machine.home.join("sshd_config"), server).unwrap();
        let client = format!(
            "Host big-machine\nHostName 127.0.0.1\nPort {port}\nIdentityFile {folder}/user_key\nIdentitiesOnly yes\n\
             StrictHostKeyChecking no\nUserKnownHostsFile {folder}/known_hosts\n"
        );
        fs::write(machine.home.join("ssh_config"), client).unwrap();
        // ssh finds its configuration by the system's record of the user, not by HOME.
        let ssh = town.path("bin/ssh");
        let line = format!("#!/bin/sh\nexec /usr/bin/ssh -F {folder}/ssh_config \"$@\"\n");
        write_program(&ssh, &line);
        fs::create_dir_all("/run/sshd").ok();
        let config = machine.home.join("sshd_config");
        let program = town.program_on_path("/usr/sbin/sshd");
        let program = program.args(["-D", "-f", config.to_str().unwrap()]);
        machine.server = Some(program.start());
        eventually("the ssh server", || {
            TcpStream::connect(("127.0.0.1", port)).ok()
        });
        machine
    }

    /// Writes the program that a connection starts.
    fn write_script(&self, command: &str) {
        let script = format!(
            "#!/bin/sh\n[ -e {0}/cut ] && {{ echo 'no route to big' >&2; exit 255; }}\necho $$ > {0}/pipe\n\
             exec env -i HOME={0}/home XDG_RUNTIME_DIR={0}/run TMUX_TMPDIR={0}/run TMPDIR={0}/tmp TERM=\"$TERM\" PATH={1} \
             {command}\n",
            self.home.display(),
            self.path(),
        );
        write_program(&self.script(), &script);
    }

    fn path(&self) -> String {
        let variables = self.town.variables();
        let path = variables.iter().find(|(name, _)| name == "PATH");
        path.map(|(_, path)| path.clone()).unwrap()
    }

    fn script(&self) -> PathBuf {
        self.home.join("connect")
    }

    /// `gt host add`.
    pub fn add(&self) -> Run {
        self.add_with(&[])
    }

    /// `gt host add` with further options.
    pub fn add_with(&self, options: &[&str]) -> Run {
        let script = self.script().display().to_string();
        let line = ["host", "add", "big", "--command"];
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

    /// The processes of a machine that has ended.
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
        let link = self.town.root().join(".runtime/hosts/big/link.pid");
        if let Ok(pid) = fs::read_to_string(link) {
            self.town.kill(pid.trim());
        }
        for socket in self.sockets() {
            let tmux = self.town.program_on_path("tmux");
            tmux.args(["-S", socket.to_str().unwrap(), "kill-server"])
                .run();
        }
    }
}
