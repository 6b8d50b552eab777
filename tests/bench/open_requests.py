"""The costs of open merge requests: the daemon in the same town with few and with many of them, while beads are slung.

Each request is a branch of its own at the origin, with one commit that adds one file. They are copies of a request that a
worker has handed in, with the convoy of its bead.
"""
import json
import os
import shutil
import subprocess
import time

from growth import hand_in

FEW, MANY, SLUNG = 20, 1_000, 8
# The bars: megabytes of the daemon, and how much slower a merge may be than in the town with few requests.
MEMORY, SLOWER = 120, 1.25
# The longest time for which requests are merged, in seconds.
SPAN = 120
CLOCK = os.sysconf("SC_CLK_TCK")

# A worker that hands in a file of its own.
WORKER = """#!/bin/sh
name=$(basename "$(dirname "$(pwd)")")-$$
echo "$name" >"$name.txt"
git add . && git commit -qm "Add $name" && gt done --summary x
sleep 600
"""


def add_requests(place, count):
    """Open requests, with their branches, beads and convoys."""
    hand_in(place, "the first")
    request = json.loads(place.say(place.root, "mq", "list", "web", "--json"))[0]["id"]
    _, line = stored_in(place, place.root / "web", request)
    receipt = json.loads(line)["metadata"]["receipt"]
    bead = json.loads(line)["title"].removeprefix("Merge: ")
    path, bead_line = stored_in(place, place.root / "web", bead)
    convoy_path, convoy_line = next(find_lines(place.root / ".beads", lambda text: bead in text and '"convoy"' in text))
    convoy = json.loads(convoy_line)["id"]
    tips = add_branches(place, receipt["base"], count)
    file = receipt["files"][0]
    with open(path, "a") as rig, open(convoy_path, "a") as town:
        for number, tip in enumerate(tips):
            new = {bead: f"{bead}{number:04}", receipt["tip"]: tip, receipt["branch"]: branch_of(number), file: file_of(number)}
            new_request = {request: f"{request}{number:04}"}
            rig.write(replace(line, new_request | new) + "\n")
            rig.write(replace(bead_line, new_request | new) + "\n")
            town.write(replace(convoy_line, {convoy: f"{convoy}{number:04}"} | new) + "\n")
    place.say(place.root, "mq", "reject", request, "--reason", "It was the pattern.")


def branch_of(number):
    return f"polecat/bench/{number:04}"


def file_of(number):
    return f"made-{number:04}.txt"


def replace(text, names):
    """The text with each name replaced, longest first, none twice."""
    marks = {name: f"\0{at}\0" for at, name in enumerate(sorted(names, key=len, reverse=True))}
    for name, mark in marks.items():
        text = text.replace(name, mark)
    for name, mark in marks.items():
        text = text.replace(mark, names[name])
    return text


def find_lines(folder, wanted):
    """The files and lines of a folder of beads that are wanted."""
    for name in ("issues.jsonl", "wisps.jsonl"):
        path = folder / name
        for line in path.read_text().splitlines() if path.exists() else ():
            if wanted(line):
                yield path, line


def stored_in(place, folder, bead):
    subprocess.run(["bd", "sync", "-q"], cwd=folder, env=place.env, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["bd", "sync", "-q"], cwd=place.root, env=place.env, check=True, stdout=subprocess.DEVNULL)
    return next(find_lines(folder / ".beads", lambda text: json.loads(text)["id"] == bead))


def add_branches(place, base, count):
    """Branches at the origin, each with a commit that adds a file. The commits."""
    bare = place.folder / "origin.git"
    run = lambda *words, at=bare, data=None: subprocess.run(["git", *words], cwd=at, env=place.env, check=True, input=data,
                                                            stdout=subprocess.PIPE).stdout.decode()
    parts = ["blob\nmark :1\ndata 2\na\n"]
    for number in range(count):
        who = f"committer nux <n@example.com> {1_700_000_000 + number} +0000"
        parts.append(f"commit refs/heads/{branch_of(number)}\nmark :{number + 2}\n{who}\ndata 4\nAdd\nfrom {base}\n"
                     f"M 644 :1 {file_of(number)}\n\n")
    marks = place.folder / "marks"
    run("fast-import", "--quiet", f"--export-marks={marks}", data="".join(parts).encode())
    commits = dict(line.split() for line in marks.read_text().splitlines())
    # As after `gt done`, the rig's repository has the branch too.
    repo = place.root / "web/.repo.git"
    run("fetch", "-q", "origin", at=repo)
    run("fetch", "-q", "origin", "refs/heads/polecat/bench/*:refs/heads/polecat/bench/*", at=repo)
    return [commits[f":{number + 2}"] for number in range(count)]


def count_git(place):
    """Puts a git on PATH that writes a line per process."""
    folder = place.folder / "counted"
    folder.mkdir()
    log = place.folder / "git.log"
    log.write_text("")
    script = folder / "git"
    script.write_text(f'#!/bin/sh\necho "$*" >>{log}\nexec {shutil.which("git")} "$@"\n')
    script.chmod(0o755)
    place.env["PATH"] = f"{folder}:{place.env['PATH']}"
    return log


def events(place, kind):
    with open(place.root / ".events.jsonl") as file:
        return [line for line in map(json.loads, file) if line["type"] == kind]


def used(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / CLOCK, sum(map(int, fields[13:15])) / CLOCK


def memory(pid, key):
    with open(f"/proc/{pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(key)) / 1024


def measure(place, count, slung=SLUNG, note=None):
    """What the daemon needs while it merges the requests of a town, some beads being slung meanwhile."""
    place.env.pop("GT_ROLE", None)
    log = count_git(place)
    add_requests(place, count)
    merged_before = len(events(place, "merged"))
    (place.folder / "idle").write_text(WORKER)
    log.write_text("")
    begin = time.time()
    place.say(place.root, "daemon", "start")
    pid = json.loads(place.say(place.root, "status", "--json"))["daemon"]["pid"]
    slung_at, beads, started, merged = None, [], {}, 0
    if note:
        note(pid, place)
    while time.time() - begin < SPAN and merged < count + len(beads):
        time.sleep(1)
        merged = len(events(place, "merged")) - merged_before
        if slung and slung_at is None and (merged >= 10 or time.time() - begin > 20):
            beads = [place.create(f"Slung {number}") for number in range(slung)]
            slung_at = time.time()
            place.say(place.root, "sling", *beads, "web")
        if slung_at:
            for event in events(place, "session_begun") + events(place, "spawn"):
                bead = event["payload"].get("bead")
                if bead in beads:
                    started.setdefault(bead, time.time() - slung_at)
    taken = time.time() - begin
    own, children = used(pid)
    state = json.loads((place.root / "daemon/state.json").read_text())
    return {
        "merged": merged,
        "merged per minute": merged / taken * 60,
        "git processes per merge": len(log.read_text().splitlines()) / max(merged, 1),
        "processor time of the daemon per merge (ms)": own / max(merged, 1) * 1e3,
        "processor time of its children per merge (ms)": children / max(merged, 1) * 1e3,
        "passes": state["heartbeat_count"],
        "peak memory of the daemon (MB)": memory(pid, "VmHWM"),
        f"workers of {slung} slung beads started": len(started),
        "the last of them after (s)": max(started.values(), default=0),
    }


def report(make):
    """Rows for a town with few open requests and for one with many."""
    found = []
    for count in (FEW, MANY):
        place = make(f"requests-{count}")
        found.append(measure(place, count))
        place.end()
    print(f"\n| With open requests | {FEW} | {MANY:,} | Bar | Holds |\n| --- | ---: | ---: | ---: | --- |")
    for name, few in found[0].items():
        many = found[1][name]
        bar = {"merged per minute": few / SLOWER, "peak memory of the daemon (MB)": MEMORY}.get(name)
        holds = "–" if bar is None else "yes" if (many >= bar if "per minute" in name else many <= bar) else "**no**"
        print(f"| {name} | {few:,.1f} | {many:,.1f} | {'' if bar is None else f'{bar:.0f}'} | {holds} |", flush=True)
