"""What a town's age costs: the same commands in a small town and in one that is old in one respect.

Each pair runs in turn, and a row has both times and their ratio.
"""
import json
import pathlib
import re
import statistics
import subprocess
import time

from measure import Contest, peak

EVENTS, MESSAGES, CONVOYS, MERGED = 1_000_000, 10_000, 1_000, 50_000
RIGS = (1, 10, 50)


def add_events(place, count):
    """Events as a town records them: about 250 bytes each, the beads one after the other."""
    kinds = ("sling", "spawn", "session_begun", "done", "merge_started", "gate", "merged", "patrol", "nudge", "mail")
    with open(place.root / ".events.jsonl", "a") as out:
        for number in range(count):
            bead, kind = f"web-old{number // len(kinds)}", kinds[number % len(kinds)]
            minute = number // 40
            payload = {"bead": bead, "rig": "web", "polecat": "nux", "commit": f"{number * 2654435761 % 2**64:016x}" * 2,
                       "saw": f"{bead} is open, and web/polecats/nux has no work since 12 minutes"}
            line = {"ts": f"{2020 + minute // 525600}-01-{minute // 1440 % 28 + 1:02}T{minute // 60 % 24:02}:{minute % 60:02}:00Z",
                    "source": "gt", "type": kind, "actor": "web/witness", "payload": payload, "visibility": "both"}
            out.write(json.dumps(line, separators=(",", ":")) + "\n")


def stored(place, bead):
    """The folded file and the line of a bead of the town."""
    subprocess.run(["bd", "sync", "-q"], cwd=place.root, env=place.env, check=True, stdout=subprocess.DEVNULL)
    for name in ("wisps.jsonl", "issues.jsonl"):
        path = place.root / ".beads" / name
        for line in path.read_text().splitlines() if path.exists() else ():
            if json.loads(line)["id"] == bead:
                return path, line
    raise SystemExit(f"{bead} is in no file")


def add_messages(place, count):
    """Messages to the worker that were read and closed long ago."""
    sent = place.say(place.root, "mail", "send", place.worker, "-s", "Old news", "-m", "All is well.", "--json")
    bead = re.search(r'"id":\s*"([^"]+)"', sent).group(1)
    place.say(place.sandbox, "mail", "read", bead)
    place.say(place.sandbox, "mail", "archive", bead)
    path, line = stored(place, bead)
    with open(path, "a") as out:
        for number in range(count):
            out.write(line.replace(bead, f"{bead}{number:05}") + "\n")


def add_convoys(place, count):
    """Open convoys, each of one open bead."""
    beads = []
    for line in (place.root / "web/.beads/issues.jsonl").read_text().splitlines():
        bead = json.loads(line)
        if bead["status"] == "open":
            beads.append(bead["id"])
    made = place.say(place.root, "convoy", "create", "Old", beads[0], "--json")
    convoy = re.search(r"hq-cv-\w+", made).group(0)
    path, line = stored(place, convoy)
    with open(path, "a") as out:
        for number in range(count):
            out.write(line.replace(convoy, f"hq-cv-{number:05}").replace(beads[0], beads[number % len(beads)]) + "\n")
    return beads[1]


def add_merged(place, count):
    """A target with a merge per request, and the ref of each request: most packed, as `git gc` leaves them."""
    repo = place.root / "web/.repo.git"
    run = lambda *words, data=None: subprocess.run(["git", *words], cwd=repo, env=place.env, check=True, input=data,
                                                   stdout=subprocess.PIPE).stdout.decode()
    tip = run("rev-parse", "refs/remotes/origin/main").strip()
    parts = ["blob\nmark :1\ndata 2\na\n"]
    for number in range(count):
        base, who = tip if number == 0 else f":{number * 2 + 1}", f"committer nux <n@example.com> {1_700_000_000 + number} +0000"
        for mark, merge in ((number * 2 + 2, ""), (number * 2 + 3, f"merge :{number * 2 + 2}\n")):
            parts.append(f"commit refs/gt/bench\nmark :{mark}\n{who}\ndata 2\nb\nfrom {base}\n{merge}M 644 :1 f{number % 100}\n\n")
    marks = repo / "marks"
    run("fast-import", "--quiet", f"--export-marks={marks}", data="".join(parts).encode())
    commits = dict(line.split() for line in marks.read_text().splitlines())
    run("push", "-q", "origin", "refs/gt/bench:refs/heads/main")
    run("update-ref", "-d", "refs/gt/bench")
    run("fetch", "-q", "origin")
    refs = {f"refs/gt/merged/web-old{number}": commits[f":{number * 2 + 2}"] for number in range(count)}
    loose = list(refs)[-200:]
    run("update-ref", "--stdin", data="".join(f"create {ref} {refs.pop(ref)}\n" for ref in loose).encode())
    packed = repo / "packed-refs"
    lines = [line for line in packed.read_text().splitlines() if not line.startswith(("#", "^"))] if packed.exists() else []
    lines += [f"{commit} {ref}" for ref, commit in refs.items()]
    lines.sort(key=lambda line: line.split()[1])
    packed.write_text("# pack-refs with: sorted \n" + "\n".join(lines) + "\n")


def hand_in(place, number):
    """One more bead, handed in to the queue of rig web by a worker whose session goes on. The seconds of the sling and of
    `gt done`."""
    made = subprocess.run(["bd", "create", f"Change {number}", "--silent"], cwd=place.root / "web", env=place.env,
                          stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    begin = time.perf_counter()
    slung = json.loads(place.say(place.root, "sling", made, "web", "--json"))[0]["target"]
    sling = time.perf_counter() - begin
    sandbox = next((place.root / slung).rglob(".git")).parent
    (sandbox / f"{made}.txt").write_text("changed\n")
    for words in (["add", "."], ["commit", "-qm", "Change it"]):
        subprocess.run(["git", *words], cwd=sandbox, env=place.env, check=True)
    env = place.session(slung, "web")
    begin = time.perf_counter()
    subprocess.run([place.gt, "done", "--stay", "--summary", "x"], cwd=sandbox, env=env, check=True, stdout=subprocess.DEVNULL)
    return sling, time.perf_counter() - begin


def work(place):
    """Milliseconds of `gt done` and of the merge of one more bead."""
    _, done = hand_in(place, "it")
    begin = time.perf_counter()
    merged = json.loads(place.say(place.root, "mq", "run", "web", "--json"))
    if [one["outcome"] for one in merged] != ["merged"]:
        raise SystemExit(f"it was not merged: {merged}")
    return done * 1e3, (time.perf_counter() - begin) * 1e3


def queue(place, ready, seconds):
    """Requests per minute that one run of the queue merges, with a gate that takes some seconds. Also the seconds of each
    sling but the first, to a rig whose last worker has just handed in and still has its session."""
    settings = place.root / "web/settings/config.json"
    settings.parent.mkdir(exist_ok=True)
    told = json.loads(settings.read_text()) if settings.exists() else {}
    told.setdefault("merge_queue", {})["gates"] = {"check": {"cmd": f"sleep {seconds}"}}
    settings.write_text(json.dumps(told))
    slings = [hand_in(place, number)[0] for number in range(ready)]
    begin = time.perf_counter()
    merged = json.loads(place.say(place.root, "mq", "run", "web", "--json"))
    taken = time.perf_counter() - begin
    count = sum(one["outcome"] == "merged" for one in merged)
    if count != ready:
        raise SystemExit(f"{count} of {ready} were merged: {merged}")
    return count / taken * 60, slings[1:]


def many_slings(place, count):
    """Seconds until a sling of so many beads has answered, while the daemon runs."""
    beads = [subprocess.run(["bd", "create", f"Work {number}", "--silent"], cwd=place.root / "web", env=place.env,
                            stdout=subprocess.PIPE, text=True, check=True).stdout.strip() for number in range(count)]
    begin = time.perf_counter()
    place.say(place.root, "sling", *beads, "web", "--json")
    taken = time.perf_counter() - begin
    place.say(place.root, "scheduler", "clear")
    return taken


def report_queue(make):
    """Rows of the merge queue and the scheduler, which have bars of their own."""
    place = make("queue")
    print("\n| What | Found | Bar | Holds |\n| --- | ---: | ---: | --- |")
    slings = []
    for seconds in (1.5, 5):
        rate, found = queue(place, 10, seconds)
        slings += found
        bar, holds = ("40", "yes" if rate >= 40 else "**no**") if seconds == 5 else ("", "–")
        print(f"| merged per minute, 10 ready, a gate of {seconds} s | {rate:.0f} | {bar} | {holds} |", flush=True)
    slings.sort()
    taken = slings[len(slings) // 2]
    print(f"| a sling right after `gt done --stay` (the slowest: {slings[-1]:.2f} s) | {taken:.2f} s | 0.5 s |"
          f" {'yes' if taken <= 0.5 else '**no**'} |", flush=True)
    place.say(place.root, "config", "set", "scheduler.max_polecats", "1", "--town")
    place.say(place.root, "daemon", "start")
    for count in (60, 100):
        taken = many_slings(place, count)
        holds = "yes" if taken <= 2 else "**no**"
        print(f"| a sling of {count} beads answers | {taken:.2f} s | 2 s | {holds} |", flush=True)
    place.end()


def row(name, old, new, unit="ms"):
    print(f"| {name} | {old:.1f} {unit} | {new:.1f} {unit} | {new / old:.2f} |", flush=True)


def pair(places, runs, name, words, where=lambda place: place.root, memory=False):
    """One command in both towns, in turn."""
    contest = Contest(places[0].env, runs)
    found = []
    for number, place in enumerate(places):
        contest.add(number, lambda _turn, place=place: [place.gt, *words(place)], where(place))
    times = contest.measure()
    row(name, times[0], times[1])
    if memory:
        found = [peak([place.gt, *words(place)], where(place), place.env) for place in places]
        if None not in found:
            row(f"{name}: peak memory", *found, unit="MiB")


def report(make, runs, only):
    """Prints the rows. `make` makes a small town of that name."""
    if "queue" in only:
        report_queue(make)
    if only == ["queue"]:
        return
    print("\n| What | Small town | Old town | Ratio |\n| --- | ---: | ---: | ---: |")
    small = make("small")
    add_events(small, 1000)
    if "events" in only:
        old = make("events")
        add_events(old, EVENTS)
        bead = {small: "web-old50", old: f"web-old{EVENTS // 20}"}
        begin = time.perf_counter()
        old.say(old.root, "why", bead[old], "--no-pager")
        print(f"| the first `gt why` at {EVENTS:,} events | | {(time.perf_counter() - begin) * 1e3:.1f} ms | |")
        pair([small, old], runs, f"`gt why BEAD`, {EVENTS:,} events", lambda place: ["why", bead[place], "--no-pager"], memory=True)
        pair([small, old], runs, f"`gt feed`, {EVENTS:,} events", lambda place: ["feed"], memory=True)
        old.end()
    if "messages" in only:
        old = make("messages")
        add_messages(old, MESSAGES)
        for place in (small, old):
            place.env["GT_ROLE"] = place.worker
        for name in ("prime", "hook", "mail inbox"):
            pair([small, old], runs, f"`gt {name}`, {MESSAGES:,} old messages", lambda place: name.split(), lambda place: place.sandbox)
        for place in (small, old):
            place.env.pop("GT_ROLE")
        old.end()
    if "convoys" in only:
        for count in (10, 100, CONVOYS):
            old = make(f"convoys-{count}")
            beads = {small: None, old: add_convoys(old, count)}
            beads[small] = next(json.loads(line)["id"] for line in (small.root / "web/.beads/issues.jsonl").read_text().splitlines()
                                if json.loads(line)["status"] == "open")
            gtd = str(pathlib.Path(small.gt).parent / "gtd")
            times = {small: [], old: []}
            for turn in range(-1, max(3, runs // 3)):
                for place in times:
                    subprocess.run(["bd", "update", beads[place], "--title", f"Changed {turn}"], cwd=place.root / "web", env=place.env,
                                   check=True, stdout=subprocess.DEVNULL)
                    begin = time.perf_counter()
                    subprocess.run([gtd, "run", "--once"], cwd=place.root, env=place.env, check=False, stdout=subprocess.DEVNULL)
                    if turn >= 0:
                        times[place].append((time.perf_counter() - begin) * 1e3)
            row(f"pass after one changed bead, {count:,} open convoys", *(statistics.median(found) for found in times.values()))
            old.end()
    if "merged" in only:
        old = make("merged")
        add_merged(old, MERGED)
        first = work(old)
        print(f"| the first `gt done` / merge after {MERGED:,} merged beads | | {first[0]:.0f} / {first[1]:.0f} ms | |")
        for _ in range(40):
            refs = subprocess.run(["git", "for-each-ref", "refs/gt/merged"], cwd=old.root / "web/.repo.git", env=old.env,
                                  stdout=subprocess.PIPE, check=True).stdout
            if refs.count(b"\n") <= 130:
                break
            work(old)
        times = {small: [], old: []}
        for _ in range(max(5, runs // 3)):
            for place in times:
                times[place].append(work(place))
        for number, name in enumerate(("`gt done`", "a merge")):
            row(f"{name} after {MERGED:,} merged beads", *(statistics.median(one[number] for one in found) for found in times.values()))
        old.end()
    if "rigs" in only:
        old = make("rigs")
        bare, have = old.folder / "origin.git", 1
        for count in RIGS:
            for number in range(have, count):
                old.say(old.root, "rig", "add", f"rig{number}", str(bare), "--prefix", f"r{number}")
            have = count
            for name in ("status", "rig list"):
                pair([small, old], runs, f"`gt {name}`, {count} rigs", lambda place: name.split())
        old.end()
    small.end()
