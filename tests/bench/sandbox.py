#!/usr/bin/env python3
"""Measure what a new sandbox costs, beside a linked worktree of the same commit on the same file system.

    make bench-sandbox

A sandbox is a repository of its own. It is made by `gt sling` for a worker that has none yet, which also claims the
bead, makes its convoy and starts the session; the same in a rig with one file shows how much of it is that. Each pair
is a sling and a `git worktree add`, and every other pair begins with the second. Needs git and tmux.
"""
import argparse
import pathlib
import subprocess
import tempfile
import time

from measure import machine
from town import Place


def timed(run):
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def add_rig(place, name, files):
    """Adds a rig whose repository has so many files."""
    work, bare = place.folder / name, place.folder / f"{name}.git"
    git = ["git", "-c", "protocol.file.allow=always"]
    subprocess.run([*git, "init", "-q", str(work)], env=place.env, check=True)
    for number in range(files):
        path = work / f"folder-{number // 100}" / f"file-{number}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{number}\n")
    subprocess.run([*git, "-C", str(work), "add", "."], env=place.env, check=True)
    subprocess.run([*git, "-C", str(work), "commit", "-qm", "Begin"], env=place.env, check=True)
    subprocess.run([*git, "clone", "-q", "--bare", str(work), str(bare)], env=place.env, check=True)
    place.say(place.root, "rig", "add", name, str(bare), "--prefix", name[:2], "--push-beads")


def sling(place, rig):
    """The seconds from the sling of a bead until a new worker has its session."""
    made = subprocess.run([place.bd, "create", "Work", "--silent"], cwd=place.root / rig, env=place.env,
                          stdout=subprocess.PIPE, text=True, check=True)
    return timed(lambda: place.say(place.root, "sling", made.stdout.strip(), rig, "--json"))


def add_worktree(place, rig, number):
    repository = str(place.root / rig / ".repo.git")
    tree = str(place.root / rig / f"bench-{number}")
    call = ["git", "-C", repository, "worktree", "add", "--quiet", "--detach", tree, "refs/remotes/origin/main"]
    spent = timed(lambda: subprocess.run(call, env=place.env, check=True))
    subprocess.run(["git", "-C", repository, "worktree", "remove", "--force", tree], env=place.env, check=True)
    return spent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, type=lambda path: pathlib.Path(path).resolve(), help="the folder of bd and gt")
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--place", default="/dev/shm", help="the folder, and so the file system, in which to measure")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gt-", dir=args.place, ignore_cleanup_errors=True) as folder:
        place = Place(pathlib.Path(folder), args.programs, 1)
        place.env = {name: value for name, value in place.env.items() if name != "GT_ROLE"}
        try:
            add_rig(place, "large", args.files)
            add_rig(place, "small", 1)
            print(f"{machine()}\n{args.files} files below {args.place}; seconds\n")
            print("| Pair | First | New sandbox and session | The same with one file | Linked worktree alone | Ratio for the files |")
            print("| ---: | --- | ---: | ---: | ---: | ---: |")
            for number in range(args.pairs):
                if number % 2 == 0:
                    own, linked = sling(place, "large"), add_worktree(place, "large", number)
                else:
                    linked, own = add_worktree(place, "large", number), sling(place, "large")
                small = sling(place, "small")
                first = "worktree" if number % 2 else "sandbox"
                print(f"| {number + 1} | {first} | {own:.2f} | {small:.2f} | {linked:.2f} | {(own - small) / linked:.2f} |", flush=True)
        finally:
            place.end()


if __name__ == "__main__":
    main()
