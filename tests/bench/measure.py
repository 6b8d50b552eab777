"""Whole processes measured from outside: time, peak memory, system calls.

Commands that are compared run in turn, one of each a round, so that whatever else the machine does hits
all of them alike. Times are lower quartiles: noise on a small machine is one scheduler tick, more than
these commands cost, and it only ever adds.
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

NULL = os.open(os.devnull, os.O_RDWR)


class Failed(Exception):
    """A measured command did not succeed."""


def environment(home):
    """What every measured process sees: nothing of the caller's but PATH."""
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
    }


def once(argv, cwd, env):
    """Milliseconds from before the start of a process to after its end."""
    os.chdir(cwd)
    streams = [(os.POSIX_SPAWN_DUP2, NULL, number) for number in (0, 1, 2)]
    begin = time.perf_counter_ns()
    pid = os.posix_spawn(argv[0], argv, env, file_actions=streams)
    _, status = os.waitpid(pid, 0)
    spent = (time.perf_counter_ns() - begin) / 1e6
    if status != 0:
        raise Failed(f"{' '.join(argv)} in {cwd}: status {status}")
    return spent


def said(argv, cwd, env):
    """What a command prints."""
    ran = subprocess.run(argv, cwd=cwd, env=env, stdin=NULL, capture_output=True, text=True)
    if ran.returncode != 0:
        raise Failed(f"{' '.join(argv)} in {cwd}: {ran.stderr.strip() or ran.stdout.strip()}")
    return ran.stdout


def installed(program, folder):
    """A copy of a program, as `make install` makes one: the system keeps what a linker wrote in smaller pieces, and
    starts it a fifth slower. A script stays where it is, since it may need what is beside it."""
    program = pathlib.Path(program)
    if not program.read_bytes().startswith(b"\x7fELF"):
        return program
    folder.mkdir(exist_ok=True)
    return pathlib.Path(shutil.copy(program, folder / program.name))


def quartile(times):
    """The lower quartile."""
    return sorted(times)[len(times) // 4]


class Contest:
    """Commands that are measured in turn."""

    def __init__(self, env, runs):
        self.env, self.runs, self.entries = env, runs, []

    def add(self, key, argv, cwd, prepare=None):
        """A command by its key: `argv` is a list, or a function of the round that gives one; `prepare`,
        a function of the round, runs before it and is not counted."""
        make = argv if callable(argv) else lambda _round: argv
        self.entries.append((key, make, cwd, prepare))

    def measure(self):
        """Lower quartiles in milliseconds by key, after one round that is not counted."""
        times = {entry[0]: [] for entry in self.entries}
        for turn in range(-1, self.runs):
            for key, make, cwd, prepare in self.entries:
                if prepare:
                    prepare(turn)
                spent = once(make(turn), cwd, self.env)
                if turn >= 0:
                    times[key].append(spent)
        return {key: quartile(spent) for key, spent in times.items()}


def peak(argv, cwd, env):
    """The largest resident set of a process in MiB, as GNU time has it; None where there is no GNU time.
    A child of this process would be charged with Python's own pages."""
    gnu_time = shutil.which("time")
    if not gnu_time:
        return None
    with tempfile.NamedTemporaryFile("r") as report:
        once([gnu_time, "-f", "%M", "-o", report.name, *argv], cwd, env)
        return int(report.read().split()[-1]) / 1024


def calls(argv, cwd, env, names):
    """How often a process and its threads made each of these system calls; None where there is no strace."""
    strace = shutil.which("strace")
    if not strace:
        return None
    with tempfile.NamedTemporaryFile("r") as report:
        trace = "trace=" + ",".join(names)
        once([strace, "-f", "-qq", "-o", report.name, "-e", trace, *argv], cwd, env)
        text = report.read()
    return {name: len(re.findall(rf"\b{name}\(", text)) for name in names}


def sync_cost(folder, runs):
    """Milliseconds for appending a line to a file and fdatasync."""
    times = []
    path = os.path.join(folder, "sync-probe")
    probe = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for _ in range(runs + 1):
        begin = time.perf_counter_ns()
        os.write(probe, b"x" * 500 + b"\n")
        os.fdatasync(probe)
        times.append((time.perf_counter_ns() - begin) / 1e6)
    os.close(probe)
    os.unlink(path)
    return quartile(times[1:])


def empty_program(folder):
    """A static program that does nothing, or None without a compiler."""
    source, program = folder / "empty.rs", folder / "empty"
    source.write_text("fn main() {}\n")
    made = subprocess.run(["rustc", "-O", "-C", "target-feature=+crt-static", "-o", program, source],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False) if shutil.which("rustc") else None
    return program if made and made.returncode == 0 else None


def rewrite_cost(source, folder, runs):
    """Milliseconds for writing the bytes of a file, fsync and rename: the floor of a fold."""
    data = open(source, "rb").read()
    times = []
    path = os.path.join(folder, "rewrite-probe")
    for _ in range(runs):
        begin = time.perf_counter_ns()
        with open(path + ".new", "wb", buffering=0) as probe:
            probe.write(data)
            os.fsync(probe.fileno())
        os.rename(path + ".new", path)
        times.append((time.perf_counter_ns() - begin) / 1e6)
    os.unlink(path)
    return quartile(times)


def scan_cost(source, word, runs):
    """Milliseconds for reading a file and looking for a word in all of it."""
    times = []
    for _ in range(runs):
        begin = time.perf_counter_ns()
        open(source, "rb").read().count(word.encode())
        times.append((time.perf_counter_ns() - begin) / 1e6)
    return quartile(times)


def machine():
    """One line about where this ran."""
    def first(path, pattern):
        try:
            found = re.search(pattern, open(path).read())
        except OSError:
            found = None
        return found.group(1).strip() if found else "unknown"

    model = first("/proc/cpuinfo", r"model name\s*:\s*(.*)")
    memory = int(first("/proc/meminfo", r"MemTotal:\s*(\d+)") or 0) // (1024 * 1024)
    system = os.uname()
    return f"{os.cpu_count()} cores of {model}, {memory} GiB, {system.sysname} {system.release} {system.machine}"
