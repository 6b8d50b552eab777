//! Another machine: a home folder of its own, reached through a command that can be cut.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::{Run, Town};

/// A machine that a town reaches as the host `big`.
pub struct FarMachine<'t> {
    town: &'t Town,
    /// The home folder of its user.
    pub home: PathBuf,
}

impl<'t> FarMachine<'t> {
    /// A machine that the town does not know yet.
    pub fn new(town: &'t Town) -> Self {
        let machine = Self {
            town,
            home: town.path("far"),
        };
        for folder in ["home", "run", "tmp"] {
            let folder = machine.home.join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        }
        let script = format!(
            "#!/bin/sh\n[ -e {0}/cut ] && {{ echo 'no route to big' >&2; exit 255; }}\necho $$ > {0}/pipe\n\
             exec env -i HOME={0}/home XDG_RUNTIME_DIR={0}/run TMUX_TMPDIR={0}/run TMPDIR={0}/tmp PATH={1} \
             gt box serve\n",
            machine.home.display(),
            machine.path(),
        );
        fs::write(machine.script(), script).unwrap();
        fs::set_permissions(machine.script(), fs::Permissions::from_mode(0o755)).unwrap();
        machine
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
        let script = self.script().display().to_string();
        self.town
            .gt(["host", "add", "big", "--command", "--"])
            .args([script.as_str()])
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

impl Drop for FarMachine<'_> {
    fn drop(&mut self) {
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
