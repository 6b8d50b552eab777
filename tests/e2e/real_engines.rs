//! Real engines of places: podman, and Slurm with two nodes on this machine. `make nightly` runs them.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use town_tests::{Town, eventually, report_skip};

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
    let first = podman.run(&["ps", "--quiet"]);
    podman.run(&["kill", first.trim()]);
    let because = wait_for_merge(&town, &bead);
    assert_eq!(
        because,
        "its place is gone, podman says: exited with exit code 137"
    );
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
