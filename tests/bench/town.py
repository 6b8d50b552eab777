#!/usr/bin/env python3
"""Measure what an agent's hooks run, from outside, in a town whose rig has 10,000 beads.

    make bench-town

A time is the lower quartile of `--runs` whole processes, run in turn with `gt version`, which is "start". Needs git
and tmux; the town is a temporary one with its own tmux server, and its agent is a script that sleeps.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import growth
import open_requests
import watch
from measure import Contest, environment, installed, machine

HERE = pathlib.Path(__file__).resolve().parent
# How much more than a start each may take, in milliseconds.
BARS = {"prime": 15, "hook": 10, "mail inbox": 10}
# A merge whose target has moved, without a gate: how many files the repository has, and how much processor time it may
# take, git's included, in seconds.
FILES, MERGE = 50_000, 1.0


class Place:
    """A town with one rig, and a worker with work."""

    def __init__(self, folder, programs, size):
        self.folder, self.gt = folder, str(programs / "gt")
        home = folder / "home"
        for name in ("home", "tmux", "run"):
            (folder / name).mkdir()
        (home / ".gitconfig").write_text("[user]\n\tname = Dana\n\temail = dana@example.com\n[init]\n\tdefaultBranch = main\n")
        self.env = environment(home) | {"TMUX_TMPDIR": str(folder / "tmux"), "XDG_RUNTIME_DIR": str(folder / "run"),
                                        "PATH": f"{programs}:{os.environ['PATH']}", "TERM": "xterm-256color"}
        self.root = folder / "town"
        self.say(home, "install", str(self.root))
        origin = folder / "origin"
        git = ["git", "-c", "protocol.file.allow=always"]
        subprocess.run([*git, "init", "-q", str(origin)], env=self.env, check=True)
        (origin / "README.md").write_text("A project.\n")
        subprocess.run([*git, "-C", str(origin), "add", "."], env=self.env, check=True)
        subprocess.run([*git, "-C", str(origin), "commit", "-qm", "Begin"], env=self.env, check=True)
        bare = folder / "origin.git"
        subprocess.run([*git, "clone", "-q", "--bare", str(origin), str(bare)], env=self.env, check=True)
        script = folder / "idle"
        script.write_text("#!/bin/sh\nexec sleep 600\n")
        script.chmod(0o755)
        settings = self.root / "settings/config.json"
        told = json.loads(settings.read_text()) if settings.exists() else {}
        told |= {"default_agent": "idle", "agents": {"idle": {"provider": "scripted", "args": ["scripted", "--script", str(script)]}}}
        settings.write_text(json.dumps(told))
        self.say(self.root, "rig", "add", "web", str(bare), "--prefix", "web", "--push-beads")
        issues = self.root / "web/.beads/issues.jsonl"
        with open(issues, "ab") as out:
            subprocess.run([sys.executable, str(HERE / "make_corpus.py"), str(size)], stdout=out, check=True)
        self.bd = str(programs / "bd")
        bead = self.create("Write the parser")
        subprocess.run([self.bd, "sync", "-q"], cwd=self.root / "web", env=self.env, check=True, stdout=subprocess.DEVNULL)
        slung = json.loads(self.say(self.root, "sling", bead, "web", "--json"))[0]
        self.worker = slung["target"]
        self.sandbox = next((self.root / self.worker).rglob(".git")).parent
        self.env |= {"GT_ROLE": self.worker}
        told = self.say(self.sandbox, "prime")
        if "Write the parser" not in told:
            raise SystemExit(f"the worker is not told of its work: {told[:500]}")

    def say(self, cwd, *words):
        done = subprocess.run([self.gt, *words], cwd=cwd, env=self.env, stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout

    def create(self, title):
        """The id of a new bead of the rig."""
        made = subprocess.run([self.bd, "create", title, "--silent", "-d", "All of it."], cwd=self.root / "web",
                              env=self.env, stdout=subprocess.PIPE, text=True, check=True)
        return made.stdout.strip()

    def session(self, worker, prefix):
        """The environment of the session of a worker in a rig with this prefix."""
        rig, _, name = worker.partition("/polecats/")
        shown = subprocess.run([self.bd, "show", f"{prefix}-wisp-slot-{rig}-{name}", "--json"], cwd=self.root / rig, env=self.env,
                               stdout=subprocess.PIPE, text=True, check=True)
        token = json.loads(shown.stdout)[0]["metadata"]["token"]
        lease = json.loads(self.say(self.root, "polecat", "status", f"{rig}/{name}", "--json"))["lease"]
        return self.env | {"GT_ROLE": worker, "GT_LEASE": str(lease), "GT_SESSION_TOKEN": token}

    def merge(self, files):
        """The processor time of one merge onto a target that has moved, in a repository of so many files."""
        bare, work = self.folder / "large.git", self.folder / "large"
        git = ["git", "-c", "protocol.file.allow=always"]
        run = lambda *words, at=work: subprocess.run([*git, "-C", str(at), *words], env=self.env, check=True)
        subprocess.run([*git, "init", "-q", str(work)], env=self.env, check=True)
        for number in range(files):
            path = work / f"folder-{number // 100}" / f"file-{number}.txt"
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"{number}\n")
        run("add", ".")
        run("commit", "-qm", "Begin")
        subprocess.run([*git, "clone", "-q", "--bare", str(work), str(bare)], env=self.env, check=True)
        self.say(self.root, "rig", "add", "large", str(bare), "--prefix", "lg", "--push-beads")
        rig = self.root / "large"
        made = subprocess.run(["bd", "create", "Change it", "--silent"], cwd=rig, env=self.env, stdout=subprocess.PIPE, text=True, check=True)
        slung = json.loads(self.say(self.root, "sling", made.stdout.strip(), "large", "--json"))[0]
        sandbox = next((self.root / slung["target"]).rglob(".git")).parent
        (sandbox / "folder-0/file-0.txt").write_text("changed\n")
        run("commit", "-qam", "Change it", at=sandbox)
        env = self.session(slung["target"], "lg")
        subprocess.run([self.gt, "done", "--stay", "--summary", "x"], cwd=sandbox, env=env, check=True, stdout=subprocess.DEVNULL)
        (work / "folder-1/file-100.txt").write_text("moved\n")
        run("commit", "-qam", "Move the target")
        run("push", "-q", str(bare), "HEAD:main")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        merged = json.loads(self.say(self.root, "mq", "run", "large", "--json"))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if [one["outcome"] for one in merged] != ["merged"]:
            raise SystemExit(f"it was not merged: {merged}")
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def end(self):
        subprocess.run([self.gt, "down"], cwd=self.root, env=self.env, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, type=lambda path: pathlib.Path(path).resolve(), help="the folder of bd and gt")
    parser.add_argument("--size", type=int, default=10_000)
    parser.add_argument("--runs", type=int, default=25)
    parser.add_argument("--growth", nargs="*", default=None, metavar="WHAT",
                        help="measure only these: requests, queue, events, messages, convoys, merged, rigs")
    parser.add_argument("--watch", type=int, default=0, metavar="AGENTS",
                        help="measure only `gt top` and the page with so many agents")
    args = parser.parse_args()
    # A git of the origin may still be packing.
    with tempfile.TemporaryDirectory(prefix="gt-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        programs = pathlib.Path(folder) / "bin"
        for name in ("bd", "gt", "gtd"):
            installed(args.programs / name, programs)
        if args.growth is not None:
            return measure_growth(pathlib.Path(folder), programs, args)
        if args.watch:
            return measure_watching(pathlib.Path(folder), programs, args)
        place = Place(pathlib.Path(folder), programs, args.size)
        try:
            contest = Contest(place.env, args.runs)
            contest.add("start", [place.gt, "version"], place.sandbox)
            for name in BARS:
                contest.add(name, [place.gt, *name.split()], place.sandbox)
            found = contest.measure()
            place.env.pop("GT_ROLE")
            merge = place.merge(FILES)
        finally:
            os.chdir("/")
            place.end()
    start = found["start"]
    print(f"{machine()}; {args.size:,} beads in the rig\n")
    print("| What | Found | Bar | Holds |\n| --- | ---: | ---: | --- |")
    print(f"| start (`gt version`) | {start:.2f} ms | | – |")
    for name, room in BARS.items():
        holds = "yes" if found[name] <= start + room else "**no**"
        print(f"| `gt {name}` | {found[name]:.2f} ms | {start + room:.2f} ms | {holds} |")
    holds = "yes" if merge < MERGE else "**no**"
    print(f"| rebased merge, {FILES:,} files (processor time, git's included) | {merge:.2f} s | {MERGE:.2f} s | {holds} |")
    with tempfile.TemporaryDirectory(prefix="gt-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        programs = pathlib.Path(folder) / "bin"
        for name in ("bd", "gt", "gtd"):
            installed(args.programs / name, programs)
        measure_growth(pathlib.Path(folder), programs, args)


def measure_watching(folder, programs, args):
    place = Place(folder, programs, args.size)
    place.env.pop("GT_ROLE")
    try:
        watch.report(place, args.watch)
    finally:
        os.chdir("/")
        place.end()


def measure_growth(folder, programs, args):
    """Small towns and old ones, each in a folder of its own."""
    places = []

    def make(name):
        (folder / name).mkdir()
        places.append(Place(folder / name, programs, 2_000))
        return places[-1]

    only = args.growth or ["requests", "queue", "events", "messages", "convoys", "merged", "rigs"]
    try:
        if "requests" in only:
            open_requests.report(make)
        if only != ["requests"]:
            growth.report(make, args.runs, only)
    finally:
        os.chdir("/")
        for place in places:
            place.end()


if __name__ == "__main__":
    main()
