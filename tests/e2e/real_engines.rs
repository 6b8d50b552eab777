//! Real engines of places: podman, and Slurm with two nodes on this machine. `make nightly` runs them.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Child;

use town_tests::{Terminal, Town, eventually, report_skip};

fn is_installed(programs: &[&str]) -> bool {
    let missing = programs.iter().find(|program| {
        let found = ["/usr/bin", "/usr/sbin"].map(|folder| Path::new(folder).join(program));
        !found.iter().any(|path| path.exists())
    });
    if let Some(program) = missing {
        report_skip(&format!("{program} is not installed"));
    }
    missing.is_none()
}

fn write_program(path: &Path, text: &str) {
    fs::write(path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A script of a worker that works until its place is lost, and then hands in. Marks its first part with
/// the file that is returned.
fn work_in_two_places(town: &Town) -> PathBuf {
    let shared = town.path("shared");
    fs::create_dir(&shared).unwrap();
    let saved = shared.join("saved");
    town.script(&format!(
        "[ -e kept.txt ] && exit 0\necho one > one.txt\ngit add one.txt\ngit commit -qm One\n\
         echo kept > kept.txt\ngt checkpoint write > /dev/null\n: > {}\nwhile :; do sleep 1; done",
        saved.display()
    ));
    saved
}

fn write_host_file(town: &Town, text: &str) {
    let folder = town.root().join("settings/hosts");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("real.toml"), text).unwrap();
}

/// Runs the patrol until the work of the second place is merged. Returns why the first one ended.
fn wait_for_merge(town: &Town, bead: &str) -> String {
    eventually("the merge of the second place's work", || {
        town.patrol();
        (town.status_of("web", bead) == "closed").then_some(())
    });
    let ends = town.events("session_ended");
    ends[0]["payload"]["because"].as_str().unwrap().to_owned()
}

/// A `podman` with a storage of its own, and an image that has the programs of this machine.
fn prepare_podman(town: &Town) {
    let folder = town.path("podman");
    let image = folder.join("image");
    for name in [
        "usr", "proc", "dev", "sys", "tmp", "root", "etc", "run", "var",
    ] {
        fs::create_dir_all(image.join(name)).unwrap();
    }
    for name in ["bin", "sbin", "lib", "lib64"] {
        symlink(format!("usr/{name}"), image.join(name)).unwrap();
    }
    for name in ["passwd", "group"] {
        fs::copy(Path::new("/etc").join(name), image.join("etc").join(name)).unwrap();
    }
    // The limits of this machine may be lower than the usual ones of containers.
    let conf = "[containers]\nnetns = \"host\"\ndefault_ulimits = [\"nofile=1024:1024\", \"nproc=1024:1024\"]\n\
                [engine]\ncgroup_manager = \"cgroupfs\"\nevents_logger = \"file\"\n";
    fs::write(folder.join("containers.conf"), conf).unwrap();
    // crun refuses the hybrid mode of cgroups.
    let line = format!(
        "export CONTAINERS_CONF={0}/containers.conf\nexec unshare --mount sh -c \
         'umount /sys/fs/cgroup/unified 2> /dev/null; exec /usr/bin/podman --root {0}/store --runroot {0}/run \
         --storage-driver vfs \"$@\"' podman \"$@\"",
        folder.display()
    );
    let podman = town.path("bin/podman");
    write_program(&podman, &line);
    let build = format!(
        "tar -C {} -c . | {} import - worker:1",
        image.display(),
        podman.display()
    );
    town.program_on_path("sh").args(["-c", &build]).ok();
}

/// Removes all containers, also if a test fails.
struct Podman<'t>(&'t Town);

impl Podman<'_> {
    fn run(&self, args: &[&str]) -> String {
        let podman = self.0.path("bin/podman");
        let run = self.0.program_on_path(podman.to_str().unwrap());
        run.args(args.iter().copied()).run().out
    }
}

impl Drop for Podman<'_> {
    fn drop(&mut self) {
        end_links(self.0);
        self.run(&["rm", "--all", "--force", "--time", "1"]);
    }
}

fn end_links(town: &Town) {
    let hosts = fs::read_dir(town.root().join(".runtime/hosts"));
    for host in hosts.into_iter().flatten().flatten() {
        if let Ok(pid) = fs::read_to_string(host.path().join("link.pid")) {
            town.kill(pid.trim());
        }
    }
}

#[test]
#[ignore = "needs podman and root: make nightly"]
fn a_worker_in_a_real_container_that_is_killed_goes_on_in_another() {
    if !is_installed(&["podman", "crun", "unshare"]) {
        return;
    }
    let (town, origin) = Town::with_rig();
    prepare_podman(&town);
    let podman = Podman(&town);
    let saved = work_in_two_places(&town);
    let mut volumes = "\"--volume\", \"/usr:/usr:ro\", ".to_owned();
    for (name, mode) in [("bin", "ro"), ("scripts", "ro"), ("shared", "rw")] {
        let path = town.path(name).display().to_string();
        volumes.push_str(&format!("\"--volume\", \"{path}:{path}:{mode}\", "));
    }
    // The programs of the tests are links.
    let programs = fs::canonicalize(town.path("bin/gt")).unwrap();
    let programs = programs.parent().unwrap().display().to_string();
    volumes.push_str(&format!("\"--volume\", \"{programs}:{programs}:ro\", "));
    let path = format!("{}:/usr/bin:/bin", town.path("bin").display());
    let text = include_str!("../../gt/templates/engine/podman.toml").replace(
        "\"--entrypoint\"",
        &format!("{volumes}\"--env\", \"PATH={path}\", \"--entrypoint\""),
    );
    write_host_file(&town, &text);
    let image = "localhost/worker:1";
    town.gt(["host", "add", "real", "--container", image]).ok();
    let bead = town.bead("web", "Work in a real container");
    town.gt(["sling", &bead, "web", "--host", "real"]).ok();
    eventually("the saved work", || saved.exists().then_some(()));
    let terminal = Terminal::run(&town, &town.root(), "gt attach web/amber");
    terminal.wait_for("Work in a real container");
    drop(terminal);
    let first = podman.run(&["ps", "--quiet"]);
    podman.run(&["kill", first.trim()]);
    let because = wait_for_merge(&town, &bead);
    // `stopped` becomes `exited` after a moment.
    let said = ["exited", "stopped"]
        .map(|state| format!("its place is gone, podman says: {state} with exit code 137"));
    assert!(said.contains(&because), "{because}");
    assert_eq!(origin.file("main", "one.txt"), "one");
    assert_eq!(origin.file("main", "kept.txt"), "kept");
    eventually("the containers are removed", || {
        town.patrol();
        podman
            .run(&["ps", "--all", "--quiet"])
            .is_empty()
            .then_some(())
    });
}

/// A Slurm of two nodes on this machine.
struct Slurm<'t> {
    town: &'t Town,
    folder: PathBuf,
    daemons: Vec<Child>,
}

const SLURM_CONF: &str = "\
ClusterName=test
SlurmctldHost=HOST(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=FOLDER/munge.sock
SlurmUser=root
SlurmdUser=root
SlurmctldPort=PORT0
SlurmctldPidFile=FOLDER/slurmctld.pid
SlurmdPidFile=FOLDER/slurmd.%n.pid
SlurmdSpoolDir=FOLDER/spool.%n
StateSaveLocation=FOLDER/state
SlurmctldLogFile=FOLDER/slurmctld.log
SlurmdLogFile=FOLDER/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=10
KillWait=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName=n1 NodeHostname=HOST NodeAddr=127.0.0.1 Port=PORT1 CPUs=2 RealMemory=1000
NodeName=n2 NodeHostname=HOST NodeAddr=127.0.0.1 Port=PORT2 CPUs=2 RealMemory=1000
PartitionName=long Nodes=n[1-2] Default=YES MaxTime=INFINITE State=UP DefMemPerNode=100
";

impl<'t> Slurm<'t> {
    fn start(town: &'t Town) -> Self {
        let folder = town.path("slurm");
        for name in ["state", "spool.n1", "spool.n2", "jobs"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        // The three are free at the same time.
        let listeners = [(); 3].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let ports = listeners.map(|listener| listener.local_addr().unwrap().port().to_string());
        let host = town.program_on_path("hostname").args(["-s"]).ok().out;
        let conf = SLURM_CONF
            .replace("FOLDER", folder.to_str().unwrap())
            .replace("HOST", host.trim())
            .replace("PORT0", &ports[0])
            .replace("PORT1", &ports[1])
            .replace("PORT2", &ports[2]);
        let path = folder.join("slurm.conf");
        fs::write(&path, conf).unwrap();
        for name in ["sbatch", "squeue", "srun", "scancel", "sinfo"] {
            let line = format!("SLURM_CONF={} exec /usr/bin/{name} \"$@\"", path.display());
            write_program(&town.path("bin").join(name), &line);
        }
        let key = folder.join("munge.key");
        fs::write(&key, [7; 64]).unwrap();
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
        let mut slurm = Self {
            town,
            folder,
            daemons: Vec::new(),
        };
        slurm.start_daemon(
            "munged",
            "--force --foreground --key-file=F/munge.key --socket=F/munge.sock --pid-file=F/munge.pid \
             --log-file=F/munge.log --seed-file=F/munge.seed",
        );
        let socket = slurm.folder.join("munge.sock");
        eventually("munge", || socket.exists().then_some(()));
        slurm.start_daemon("slurmctld", "-D -f F/slurm.conf");
        slurm.start_daemon("slurmd", "-D -f F/slurm.conf -N n1");
        slurm.start_daemon("slurmd", "-D -f F/slurm.conf -N n2");
        eventually("two idle nodes", || {
            let nodes = slurm.run("sinfo", &["--noheader", "--format=%D %t"]);
            (nodes.trim() == "2 idle").then_some(())
        });
        slurm
    }

    fn start_daemon(&mut self, program: &str, line: &str) {
        let line = line.replace("F/", &format!("{}/", self.folder.display()));
        let program = format!("/usr/sbin/{program}");
        let daemon = self.town.program_on_path(&program);
        self.daemons
            .push(daemon.args(line.split_whitespace()).start());
    }

    fn run(&self, program: &str, args: &[&str]) -> String {
        let program = self.town.path("bin").join(program);
        let run = self.town.program_on_path(program.to_str().unwrap());
        run.args(args.iter().copied()).run().out
    }

    /// Kills all processes of a node, with those of its jobs.
    fn lose_node(&self, node: &str) {
        let log = self.folder.join(format!("slurmd.{node}.log"));
        self.kill_all(|process| has_open(process, &log));
        let jobs = self.folder.join("jobs").display().to_string();
        self.kill_all(|process| command_line(process).contains(&jobs));
    }

    /// Kills the processes of this test whose folders below `/proc` are such.
    fn kill_all(&self, is_wanted: impl Fn(&Path) -> bool) {
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            if name.parse::<u32>().is_ok() && is_wanted(&entry.path()) {
                self.town.kill(&name);
            }
        }
    }
}

/// Returns true if a process has a file open, or one below a folder.
fn has_open(process: &Path, path: &Path) -> bool {
    let files = fs::read_dir(process.join("fd")).into_iter().flatten();
    let mut targets = files.flatten().map(|file| fs::read_link(file.path()));
    targets.any(|target| target.is_ok_and(|target| target.starts_with(path)))
}

fn command_line(process: &Path) -> String {
    // A process may have ended.
    let line = fs::read(process.join("cmdline")).unwrap_or_else(|_| Vec::new());
    String::from_utf8_lossy(&line).into_owned()
}

impl Drop for Slurm<'_> {
    fn drop(&mut self) {
        end_links(self.town);
        for daemon in &mut self.daemons {
            // It may have ended.
            daemon.kill().ok();
            daemon.wait().ok();
        }
        let folder = self.folder.display().to_string();
        self.kill_all(|process| {
            command_line(process).contains(&folder) || has_open(process, &self.folder)
        });
    }
}

#[test]
#[ignore = "needs Slurm and root, and a minute: make nightly"]
fn a_worker_in_a_real_job_whose_node_is_lost_goes_on_at_another_node() {
    if !is_installed(&["munged", "slurmctld", "slurmd", "sbatch"]) {
        return;
    }
    let (town, origin) = Town::with_rig();
    let slurm = Slurm::start(&town);
    let saved = work_in_two_places(&town);
    let jobs = slurm.folder.join("jobs");
    let text = include_str!("../../gt/templates/engine/slurm.toml");
    let place = format!("{}/{{place}}", jobs.display());
    write_host_file(&town, &text.replace("/tmp/{place}", &place));
    town.gt(["host", "add", "real", "--slurm", "long"]).ok();
    let bead = town.bead("web", "Work in a real job");
    town.gt(["sling", &bead, "web", "--host", "real"]).ok();
    eventually("the saved work", || saved.exists().then_some(()));
    let terminal = Terminal::run(&town, &town.root(), "gt attach web/amber");
    terminal.wait_for("Work in a real job");
    drop(terminal);
    let node = slurm.run("squeue", &["--noheader", "--states=RUNNING", "--format=%N"]);
    slurm.lose_node(node.trim());
    let lost = eventually("the end of the node", || {
        let query = ["--noheader", "--states=NODE_FAIL", "--format=%N"];
        let nodes = slurm.run("squeue", &query);
        (!nodes.is_empty()).then_some(nodes)
    });
    assert_eq!(lost, node);
    let because = wait_for_merge(&town, &bead);
    assert_eq!(
        because,
        "its place is gone, slurm says: NODE_FAIL, reason NodeDown"
    );
    assert_eq!(origin.file("main", "one.txt"), "one");
    assert_eq!(origin.file("main", "kept.txt"), "kept");
    eventually("the jobs are removed", || {
        town.patrol();
        let jobs = slurm.run("squeue", &["--noheader", "--states=RUNNING,PENDING"]);
        jobs.is_empty().then_some(())
    });
}
