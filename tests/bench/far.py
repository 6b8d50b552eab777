#!/usr/bin/env python3
"""Measure what workers on another machine cost the town, over a pipe with a delay.

    make bench-far

The other machine is a home folder of its own on this one, behind a pipe that delays each direction by half of `--delay`
and counts the bytes. Measured: the processor time and memory of the link and the daemon with `--workers` idle workers, the
bytes on the pipe, and the time of `gt done` for a small change.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from measure import machine
from town import Place

HERE = pathlib.Path(__file__).resolve().parent
CLOCK = os.sysconf("SC_CLK_TCK")
# The bars: percent of a core and MiB per worker, bytes per second and worker, seconds of `gt done`.
CPU, MEMORY, BYTES, DONE = 1.0, 5.0, 2000, 2.0
# The seconds between the last start and the measurement, which no start disturbs.
SETTLE = 20
# The work of an idle worker, which is no other process of this machine.
SLEEP = f"sleep 3600.{os.getpid()}"


class Cost:
    """The processor time, in seconds, and the memory, in MiB, of a process."""

    def __init__(self, pid):
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        self.cpu = (int(fields[11]) + int(fields[12])) / CLOCK
        status = pathlib.Path(f"/proc/{pid}/status").read_text()
        self.memory = int(status.split("VmRSS:")[1].split()[0]) / 1024


class Far:
    """Another machine, which the town of a place knows as `big`."""

    def __init__(self, place, programs, delay):
        self.place, self.home, self.counts = place, place.folder / "far", place.folder / "counts"
        for name in ("", "run", "tmp"):
            (self.home / name).mkdir()
            (self.home / name).chmod(0o700)
        # These are commands of the user.
        place.env.pop("GT_ROLE")
        path = f"{programs}:{os.environ['PATH']}"
        command = ["env", "-i", f"HOME={self.home}", f"XDG_RUNTIME_DIR={self.home}/run", f"TMUX_TMPDIR={self.home}/run",
                   f"TMPDIR={self.home}/tmp", f"PATH={path}", str(programs / "gt"), "box", "serve"]
        pipe = [sys.executable, str(HERE / "slow_pipe.py"), str(delay / 2), str(self.counts)]
        place.say(place.root, "host", "add", "big", "--command", "--", *pipe, *command)

    def bytes(self):
        return sum(int(word) for word in self.counts.read_text().split())

    def link(self):
        return Cost((self.place.root / ".runtime/hosts/big/link.pid").read_text().strip())

    def daemon(self):
        return Cost((self.place.root / "daemon/daemon.pid").read_text().strip())

    def measure_done(self):
        """The seconds that `gt done` takes there."""
        took = self.home / "took"
        self.run_script("echo one > one.txt; git add one.txt; git commit -qm One\n"
                        f"begun=$(date +%s%N); gt done --stay --summary one > {self.home}/said 2>&1\n"
                        f"echo $(($(date +%s%N) - begun)) > {took}.new; mv {took}.new {took}; sleep 600\n")
        self.place.say(self.place.root, "sling", self.place.create("Hand in"), "web", "--host", "big")
        wait_for(took.exists, "the hand-in")
        if "handed in" not in (said := (self.home / "said").read_text()):
            raise SystemExit(f"it was not handed in: {said}")
        return int(took.read_text()) / 1e9

    def run_script(self, text):
        (self.place.folder / "idle").write_text(f"#!/bin/sh\n{text}")

    def fill(self, workers):
        """Slings a bead to each of so many workers there."""
        self.run_script(f"exec {SLEEP}\n")
        place = self.place
        place.say(place.root, "config", "set", "max_polecats", str(workers + 10), "--rig", "web")
        place.say(place.root, "config", "set", "sling.hosts", "big")
        # They do nothing, and that is what they are for.
        for name in ("note", "nudge", "restart", "restart_busy"):
            place.say(place.root, "config", "set", f"patrol.progress.{name}", "10h")
        place.say(place.root, "up")
        place.say(place.root, "sling", *[place.create(f"Work {number}") for number in range(workers)], "web")
        wait_for(lambda: self.count() >= workers, "all sessions")

    def count(self):
        listed = subprocess.run(["pgrep", "-fc", f"^{SLEEP}"], stdout=subprocess.PIPE, text=True, check=False)
        return int(listed.stdout)


def wait_for(probe, what):
    until = time.monotonic() + 600
    while not probe():
        if time.monotonic() > until:
            raise SystemExit(f"{what}: not in ten minutes")
        time.sleep(0.1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, type=lambda path: pathlib.Path(path).resolve(), help="the folder of bd and gt")
    parser.add_argument("--workers", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--delay", type=float, default=0.05, help="the delay of the pipe there and back, in seconds")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gt-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        place = Place(pathlib.Path(folder), args.programs, 100)
        far = Far(place, args.programs, args.delay)
        try:
            report(far, args)
        finally:
            place.end()
            for socket in (far.home / "run").glob("tmux-*/*"):
                subprocess.run(["tmux", "-S", str(socket), "kill-server"], check=False, stderr=subprocess.DEVNULL)


def report(far, args):
    done = far.measure_done()
    far.fill(args.workers)
    time.sleep(SETTLE)
    link, daemon, sent = far.link(), far.daemon(), far.bytes()
    time.sleep(args.seconds)
    link_after, daemon_after = far.link(), far.daemon()
    rate = (far.bytes() - sent) / args.seconds / args.workers
    cpu = (link_after.cpu - link.cpu + daemon_after.cpu - daemon.cpu) / args.seconds * 100 / args.workers
    memory = (link_after.memory + daemon_after.memory) / args.workers
    rows = [
        ("processor time of link and daemon per worker, percent of a core", cpu, CPU),
        ("memory of link and daemon per worker, MiB", memory, MEMORY),
        ("bytes per second and worker on the pipe", rate, BYTES),
        (f"gt done of a small change over {args.delay * 1000:.0f} ms, seconds", done, DONE),
    ]
    print(f"{machine()}; {args.workers} idle workers, {args.seconds} s\n")
    print("| | measured | bar |\n| --- | --- | --- |")
    for name, measured, bar in rows:
        print(f"| {name} | {measured:.3g} | {bar:g} |")
    if any(measured > bar for _, measured, bar in rows):
        raise SystemExit("a bar is not held")


if __name__ == "__main__":
    main()
