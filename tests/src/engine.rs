//! A stand-in for the engines of places: `podman`, `kubectl` and the programs of Slurm keep a folder for
//! each place, with real processes in it. A test ends a place like an engine does.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::{Run, Town};

/// The functions of all programs.
const FUNCTIONS: &str = r#"
stop_place() {
    for socket in "$folder/$1"/run/tmux-*/*; do
        [ -S "$socket" ] && tmux -S "$socket" kill-server 2> /dev/null
    done
    for pipe in "$folder/$1"/pipe.*; do
        [ -e "$pipe" ] && kill -9 "${pipe##*.}" 2> /dev/null
        rm -f "$pipe"
    done
    [ -e "$folder/$1/job" ] && kill -9 "-$(cat "$folder/$1/job")" 2> /dev/null
}
make_place() {
    mkdir -m 700 "$folder/$1" && mkdir -m 700 "$folder/$1/home" "$folder/$1/run" "$folder/$1/tmp" || exit 125
    echo "$running" > "$folder/$1/state"
}
open_place() {
    place=$folder/$1
    shift
    [ "$(cat "$place/state")" = "$running" ] && ! [ -e "$place/closed" ] || exit 0
    : > "$place/pipe.$$"
    exec env -i HOME="$place/home" XDG_RUNTIME_DIR="$place/run" TMUX_TMPDIR="$place/run" \
        TMPDIR="$place/tmp" TERM="${TERM:-dumb}" PATH="$PATH" "$@"
}
remove_place() {
    [ -d "$folder/$1" ] || return 0
    [ -e "$folder.fails" ] && { rm "$folder.fails"; echo "Error: the storage is busy" >&2; exit 125; }
    stop_place "$1"
    rm -rf "$folder/$1"
}
[ -e "$folder.other" ] && folder=$folder.elsewhere
[ -e "$folder.down" ] && { echo "Error: no route to the engine" >&2; exit 125; }
"#;

const PODMAN: &str = r#"
verb=$1
shift
case $verb in
run)
    [ -e "$folder.slow" ] && { : > "$folder.begun"; while [ -e "$folder.slow" ]; do sleep 0.05; done; }
    while [ "$1" != --name ]; do shift; done
    make_place "$2"
    ;;
exec)
    while [ "${1#-}" != "$1" ]; do shift; done
    open_place "$@"
    ;;
container)
    for name in "$@"; do :; done
    cat "$folder/$name/state" 2> /dev/null || { echo "Error: no such container $name" >&2; exit 125; }
    ;;
rm)
    for name in "$@"; do :; done
    remove_place "$name"
    ;;
stop) stop_place "$1" ;;
info) echo "$folder" ;;
*) exit 125 ;;
esac
"#;

const KUBECTL: &str = r#"
[ "$1 $2" = "--context=far --namespace=work" ] || exit 1
verb=$3
shift 3
case $verb in
create)
    cat > "$folder.manifest"
    make_place "$(sed -n 's/^  name: "\(.*\)"$/\1/p' "$folder.manifest")"
    ;;
exec)
    name=$3
    while [ "$1" != -- ]; do shift; done
    shift
    open_place "$name" "$@"
    ;;
get)
    [ "$1" = namespace ] && { echo "$folder"; exit; }
    cat "$folder/$2/state" 2> /dev/null || { echo "Error from server (NotFound): pods \"$2\" not found" >&2; exit 1; }
    ;;
delete) remove_place "$2" ;;
*) exit 1 ;;
esac
"#;

/// The programs of Slurm, by the name under which they are called.
const SLURM: &str = r#"
for word in "$@"; do
    case $word in
    --job-name=* | --name=*) name=${word#*=} ;;
    --jobid=*) id=${word#*=} ;;
    --format=%i) only_id=1 ;;
    esac
done
case ${0##*/} in
sbatch)
    make_place "$name"
    cat > "$folder/$name/script"
    echo "$name" > "$folder.job.$$"
    echo $$ > "$folder/$name/id"
    env -i HOME="$folder/$name/home" TMPDIR="$folder/$name/tmp" TERM=dumb PATH="$PATH" \
        setsid sh "$folder/$name/script" > "$folder/$name/log" 2>&1 < /dev/null &
    echo $! > "$folder/$name/job"
    while ! [ -S "$folder/$name/socket" ]; do sleep 0.05; done
    echo $$
    ;;
squeue)
    [ -d "$folder/$name" ] || exit 0
    [ -n "${only_id:-}" ] && exec cat "$folder/$name/id"
    cat "$folder/$name/state"
    ;;
srun)
    while [ "${1#-}" != "$1" ]; do shift; done
    open_place "$(cat "$folder.job.$id")" "$@"
    ;;
scancel) remove_place "$name" ;;
esac
"#;

/// An engine that the town reaches by its programs.
pub struct StandInEngine<'t> {
    town: &'t Town,
    folder: PathBuf,
}

impl<'t> StandInEngine<'t> {
    pub fn new(town: &'t Town) -> Self {
        let folder = town.path("engine");
        fs::create_dir(&folder).unwrap();
        for (name, running, body) in [
            ("podman", "running with exit code 0", PODMAN),
            ("kubectl", "Running", KUBECTL),
            ("sbatch", "RUNNING, reason None", SLURM),
            ("squeue", "RUNNING, reason None", SLURM),
            ("srun", "RUNNING, reason None", SLURM),
            ("scancel", "RUNNING, reason None", SLURM),
        ] {
            let path = town.path("bin").join(name);
            let set = format!("folder='{}'\nrunning='{running}'", folder.display());
            fs::write(&path, format!("#!/bin/sh\n{set}\n{FUNCTIONS}\n{body}")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self { town, folder }
    }

    /// `gt host add pods` with containers.
    pub fn add(&self) -> Run {
        self.town
            .gt(["host", "add", "pods", "--container", "worker:1"])
    }

    /// The folder with a folder for each place.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The names of the places that exist.
    pub fn places(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).unwrap().flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// The only place that exists.
    pub fn place(&self) -> String {
        let places = self.places();
        assert_eq!(places.len(), 1, "{places:?}");
        places[0].clone()
    }

    /// Ends all processes of a place, which then has a state.
    pub fn end_place(&self, place: &str, state: &str) {
        fs::write(self.folder.join(place).join("state"), format!("{state}\n")).unwrap();
        self.stop_place(place);
    }

    fn stop_place(&self, place: &str) {
        let podman = self.town.path("bin/podman");
        let stop = self.town.program_on_path(podman.to_str().unwrap());
        stop.args(["stop", place]).run();
    }

    /// Ends the pipes to a place. Its sessions go on.
    pub fn break_pipes(&self, place: &str) {
        for entry in fs::read_dir(self.folder.join(place)).unwrap().flatten() {
            let name = entry.file_name().into_string().unwrap();
            if let Some(pid) = name.strip_prefix("pipe.") {
                self.town.kill(pid);
                fs::remove_file(entry.path()).unwrap();
            }
        }
    }

    /// Ends the pipes to a place that goes on, and lets no new one in.
    pub fn close_place(&self, place: &str) {
        fs::write(self.folder.join(place).join("closed"), "").unwrap();
        self.break_pipes(place);
    }

    fn mark(&self, name: &str) -> PathBuf {
        self.folder.with_extension(name)
    }

    /// Makes all commands fail, until `answer`.
    pub fn go_down(&self) {
        fs::write(self.mark("down"), "").unwrap();
    }

    pub fn answer(&self) {
        fs::remove_file(self.mark("down")).unwrap();
    }

    /// Makes the next removal fail.
    pub fn fail_to_remove_once(&self) {
        fs::write(self.mark("fails"), "").unwrap();
    }

    /// Lets the programs reach another engine, or this one again.
    pub fn set_other(&self, is_other: bool) {
        fs::create_dir_all(self.mark("elsewhere")).unwrap();
        if is_other {
            fs::write(self.mark("other"), "").unwrap();
        } else {
            fs::remove_file(self.mark("other")).unwrap();
        }
    }

    /// Lets the making of a container begin and not end, until it is let go.
    pub fn hold_making(&self) {
        fs::write(self.mark("slow"), "").unwrap();
    }

    pub fn has_begun_to_make(&self) -> bool {
        self.mark("begun").exists()
    }

    pub fn let_making_go(&self) {
        fs::remove_file(self.mark("slow")).unwrap();
    }

    /// The manifest of the last pod.
    pub fn manifest(&self) -> String {
        fs::read_to_string(self.mark("manifest")).unwrap()
    }

    /// Ends the processes that keep the connections.
    pub fn end_links(&self) {
        let hosts = self.town.root().join(".runtime/hosts");
        for entry in fs::read_dir(hosts).into_iter().flatten().flatten() {
            end_link(self.town, &entry.path());
        }
    }
}

fn end_link(town: &Town, folder: &Path) {
    if let Ok(pid) = fs::read_to_string(folder.join("link.pid")) {
        town.kill(pid.trim());
    }
}

impl Drop for StandInEngine<'_> {
    fn drop(&mut self) {
        fs::remove_file(self.mark("down")).ok();
        self.end_links();
        for place in self.places() {
            self.stop_place(&place);
        }
    }
}
