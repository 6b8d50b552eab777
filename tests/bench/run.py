#!/usr/bin/env python3
"""Measure `bd` from outside at 1k, 10k and 100k beads and print a table in Markdown.

    make bench                                    # everything; some minutes
    make bench BENCH='--sizes 1000 --runs 9'      # a quick look
    make bench BENCH='--other /usr/bin/br'        # beside another tracker with the same commands
    make bench BENCH='--out table.md'             # and keep the table

A time is the lower quartile of `--runs` whole processes; commands that are compared run in turn. "start" is
`bd version`. Needs nothing but Python; counts come from strace and memory from GNU time, where they are.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from measure import Contest, Failed, calls, empty_program, environment, installed, machine, once, peak, rewrite_cost, said, scan_cost, sync_cost

HERE = pathlib.Path(__file__).resolve().parent
SMALL_READS = {
    "show": ["show", "{id}"],
    "ready": ["ready"],
    "list": ["list"],
    "blocked": ["blocked"],
    "count": ["count"],
    "stats": ["stats"],
}
# What another tracker is asked in the comparison; --other-names replaces lines of it.
SHARED = {
    "version": ["version"],
    "show": ["show", "{id}", "--json"],
    "ready": ["ready", "--json"],
    "list": ["list", "--json"],
    "blocked": ["blocked", "--json"],
    "count": ["count", "--json"],
    "stats": ["stats", "--json"],
    "search": ["search", "{word}", "--json"],
    "create": ["create", "Made by the benchmark", "--json"],
    "update": ["update", "{id}", "--priority", "{priority}", "--json"],
    "comment": ["comments", "add", "{id}", "Said by the benchmark"],
}
OUTSIDE = {10_000: 10, 100_000: 190}
FIRST_USE = {1_000: 13, 10_000: 65, 100_000: 480}
SEARCH = {1_000: 4, 10_000: 8, 100_000: 60}
BATCH = 30
IMPORT = {100_000: 2_000}
IMPORTS = 5
# A formula of so many steps, and how long cooking and pouring it may take, in milliseconds.
STEPS, POUR = 5_000, 200
FOLDED_AT_ONCE = 8
FOLD = {1_000: 9, 10_000: 48, 100_000: 375}
STORM = {8: 0.3, 30: 1.2}
STORMS = 5  # of each kind
FASTER = {"read": {1_000: 8, 10_000: 50, 100_000: 500}, "write": {1_000: 60, 10_000: 400, 100_000: 1_000}}
WORD = "migration"
# How long a static program that does nothing took, in milliseconds, where the bars above were measured.
EMPTY = 0.70


class Table:
    """The rows of the result."""

    def __init__(self):
        self.rows = []
        # A program that does nothing, and how much longer it takes now and here: bars that are bare times are
        # stretched by that.
        self.empty, self.slower = None, 1.0

    def weigh(self, store, runs):
        """Looks how slow the machine is in this minute."""
        if self.empty:
            contest = Contest(store.env, runs)
            contest.add("empty", [str(self.empty)], store.work)
            self.slower = max(contest.measure()["empty"] / EMPTY, 1.0)

    def add(self, what, size, found, bar, holds, note=""):
        mark = {True: "yes", False: "**no**", None: "–"}[holds]
        self.rows.append((what, f"{size:,}" if size else "", found, bar, mark, note))
        print(" | ".join(self.rows[-1]), file=sys.stderr)

    def time(self, what, size, spent, bar, start, note=""):
        found = f"{spent:.2f} ms ({spent / start:.2f} starts)"
        self.add(what, size, found, f"{bar:.2f} ms" if bar else "", spent <= bar if bar else None, note)

    def markdown(self):
        head = ["| What | Beads | Found | Bar | Holds | |", "| --- | ---: | ---: | ---: | --- | --- |"]
        return "\n".join(head + ["| " + " | ".join(row) + " |" for row in self.rows])


class Store:
    """A project of one size and the program that works on it."""

    def __init__(self, program, folder, corpus, size, prepare=()):
        self.program, self.folder, self.size = program, folder, size
        home = folder / "home"
        home.mkdir(parents=True)
        (home / ".gitconfig").write_text("[user]\n\tname = Dana\n\temail = dana@example.com\n")
        self.env = environment(home)
        self.work = folder / "work"
        self.work.mkdir()
        subprocess.run(["git", "init", "-q", "."], cwd=self.work, env=self.env, check=True)
        self.ask("init", "--prefix", "bd", "--quiet")
        self.issues = self.work / ".beads" / "issues.jsonl"
        shutil.copy(corpus, self.issues)
        for command in prepare:
            subprocess.run([program, *command], cwd=self.work, env=self.env, stdout=subprocess.DEVNULL, check=False)
        self.ask("list")
        self.open = []
        with open(corpus, encoding="utf-8") as lines:
            for line in lines:
                bead = json.loads(line)
                if bead["status"] == "open":
                    self.open.append(bead["id"])

    def argv(self, words, turn=0):
        values = {"id": self.open[(len(self.open) // 2 + turn) % len(self.open)], "word": WORD,
                  "priority": str(turn % 5)}
        return [self.program, *(word.format(**values) for word in words)]

    def ask(self, *words):
        return said([self.program, *words], self.work, self.env)

    def fresh(self, count):
        """Ids of new beads."""
        return [self.ask("q", f"Fresh {number}").strip() for number in range(count)]


def start(store, folder, runs, table):
    contest = Contest(store.env, runs)
    contest.add("true", ["/bin/true"], store.work)
    contest.add("start", [store.program, "version"], store.work)
    empty = table.empty = empty_program(folder)
    if empty:
        contest.add("empty", [str(empty)], store.work)
    found = contest.measure()
    if empty:
        table.slower = max(found["empty"] / EMPTY, 1.0)
        table.add("a static program that does nothing", None, f"{found['empty']:.2f} ms", "", None,
                  f"{EMPTY:.2f} ms where bars in bare times come from; looked at again before each part")
    table.add("`/bin/true`", None, f"{found['true']:.2f} ms", "", None)
    table.add("start (`bd version`)", None, f"{found['start']:.2f} ms ({found['start'] / found['true']:.2f} times that)",
              f"{3 * found['true']:.2f} ms", found["start"] <= 3 * found["true"])


def reads(store, runs, table, small):
    contest = Contest(store.env, runs)
    contest.add("start", [store.program, "version"], store.work)
    for name, words in SMALL_READS.items():
        contest.add(name, store.argv(words), store.work)
    contest.add("search", store.argv(["search", WORD]), store.work)
    found = contest.measure()
    begin = found["start"]
    for name in SMALL_READS:
        table.time(f"`{name}`", store.size, found[name], 2 * begin, begin)
        small.setdefault(name, {})[store.size] = found[name] / begin
    scan = scan_cost(store.issues, WORD, runs)
    bar = SEARCH.get(store.size, 0) * table.slower
    table.time("`search WORD`", store.size, found["search"], begin + bar if bar else None, begin,
               f"a raw scan in Python: {scan:.1f} ms")


def molecules(store, runs, table):
    """A large formula is poured, and somebody looks where they are in it."""
    folder = store.work / ".beads" / "formulas"
    folder.mkdir(exist_ok=True)
    steps = [f'[[steps]]\nid = "s{number}"\ntitle = "Step {number}"\ndescription = "Do it"\n'
             + (f'needs = ["s{number - 1}"]\n' if number else "") for number in range(STEPS)]
    (folder / "large.formula.toml").write_text('formula = "large"\n' + "".join(steps))
    contest = Contest(store.env, min(runs, 5))
    contest.add("pour", [store.program, "mol", "pour", "large", "--json"], store.work)
    spent = contest.measure()["pour"]
    made = json.loads(store.ask("mol", "pour", "large", "--json"))
    store.ask("list")
    contest = Contest(store.env, runs)
    contest.add("start", [store.program, "version"], store.work)
    contest.add("current", [store.program, "mol", "current", made["new_epic_id"]], store.work)
    found = contest.measure()
    table.time(f"`mol pour` of {STEPS:,} steps, cooked", store.size, spent, POUR * table.slower, found["start"])
    table.time(f"`mol current` among {STEPS:,} steps", store.size, found["current"], 2 * found["start"], found["start"],
               "all steps are looked at")


def imports(store, corpus, table):
    """All beads come into an empty project at once: the middle one of five times."""
    work = store.folder / "import"
    spent = []
    for _ in range(IMPORTS):
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        subprocess.run(["git", "init", "-q", "."], cwd=work, env=store.env, check=True)
        said([store.program, "init", "--prefix", "bd", "--quiet"], work, store.env)
        spent.append(once([store.program, "import", str(corpus)], work, store.env))
    bar = IMPORT.get(store.size, 0) * table.slower
    found = sorted(spent)[IMPORTS // 2]
    begun = once([store.program, "version"], work, store.env)
    table.time("`import` into an empty project", store.size, found, bar, begun)
    shutil.rmtree(work)


def growth(table, small):
    """How much more a small read costs at 100k than at 1k, in starts."""
    for name, sizes in small.items():
        if 1_000 in sizes and 100_000 in sizes:
            ratio = sizes[100_000] / sizes[1_000]
            table.add(f"`{name}`, 100k to 1k", None, f"{ratio:.2f}", "1.30", ratio <= 1.3)


def writes(store, runs, table):
    fresh = store.fresh(4 * (runs + 3))
    rows = {
        "create": lambda turn: ["create", f"Made {turn}"],
        "update": lambda turn: ["update", fresh[0], "--priority", str(turn % 5)],
        "close": lambda turn: ["close", fresh[2 + turn]],
        "dep add": lambda turn: ["dep", "add", fresh[-3 - 2 * turn], fresh[-4 - 2 * turn]],
        "label add": lambda turn: ["label", "add", fresh[0], f"l{turn}"],
        "comments add": lambda turn: ["comments", "add", fresh[0], f"Said {turn}"],
    }
    contest = Contest(store.env, runs)
    contest.add("start", [store.program, "version"], store.work)
    for name, words in rows.items():
        contest.add(name, lambda turn, words=words: [store.program, *words(turn)], store.work)
    found = contest.measure()
    sync = sync_cost(store.work / ".beads", runs)
    table.add("append + fdatasync", store.size, f"{sync:.2f} ms", "", None)
    bar = 2 * found["start"] + sync + (FOLDED_AT_ONCE * table.slower if store.size <= 1_000 else 0)
    for name in rows:
        table.time(f"`{name}`", store.size, found[name], bar, found["start"])
    counted = {"create": ["create", "Counted"], "update": ["update", fresh[1], "--priority", "4"],
               "label add": ["label", "add", fresh[0], "counted"], "close": ["close", fresh[0]]}
    for name, words in counted.items():
        count = calls(store.argv(words), store.work, store.env, ["fdatasync", "fsync", "openat"])
        if count is None:
            table.add("system calls", store.size, "not counted: no strace", "", None)
            return
        text = ", ".join(f"{number} {call}" for call, number in count.items())
        deferred = store.size > 1_000
        holds = count["fdatasync"] + count["fsync"] == 1 if deferred else None
        table.add(f"system calls of `{name}`", store.size, text, "1 sync" if deferred else "", holds)


def batch(store, runs, table):
    fresh = store.fresh(100)
    contest = Contest(store.env, runs)
    contest.add("start", [store.program, "version"], store.work)
    contest.add("close", [store.program, "close", *fresh], store.work,
                lambda _turn: store.ask("reopen", *fresh))
    found = contest.measure()
    table.time("`close` of 100 ids", store.size, found["close"], found["start"] + BATCH * table.slower,
               found["start"])


def outside(store, runs, table):
    """The first command after 20 lines were changed by somebody else, and the first without an index."""
    store.ask("sync")
    # As in a clone: what was written here and is in no commit yet would be looked through, too.
    (store.issues.parent / "events.local.jsonl").unlink(missing_ok=True)
    lines = store.issues.read_bytes().splitlines(keepends=True)

    def change(turn):
        changed = list(lines)
        for number in range(20):
            at = (number * len(lines) // 20 + turn) % len(lines)
            changed[at] = changed[at].replace(b'"title":"', b'"title":"%d ' % (turn + 2), 1)
        new = store.issues.with_suffix(".pulled")
        new.write_bytes(b"".join(changed))
        os.rename(new, store.issues)

    def forget(_turn):
        (store.issues.parent / "index.bin").unlink(missing_ok=True)

    ready = store.argv(["ready"])
    contest = Contest(store.env, max(runs // 2, 5))
    contest.add("start", [store.program, "version"], store.work)
    contest.add("outside", ready, store.work, change)
    contest.add("first", ready, store.work, forget)
    found = contest.measure()
    table.time("first command after an outside change", store.size, found["outside"],
               OUTSIDE.get(store.size, 0) * table.slower, found["start"])
    table.time("first use without an index", store.size, found["first"],
               FIRST_USE.get(store.size, 0) * table.slower, found["start"])
    store.issues.write_bytes(b"".join(lines))
    store.ask("list")


def fold(store, runs, table):
    floor = rewrite_cost(store.issues, store.issues.parent, max(runs // 2, 5))
    contest = Contest(store.env, max(runs // 2, 5))
    contest.add("start", [store.program, "version"], store.work)
    contest.add("fold", [store.program, "sync"], store.work, lambda turn: store.ask("q", f"To fold {turn}"))
    found = contest.measure()
    table.time("fold (`sync`)", store.size, found["fold"], FOLD.get(store.size, 0) * table.slower, found["start"])
    table.time("the same against 1.5 floors", store.size, found["fold"], found["start"] + 1.5 * floor, found["start"],
               f"the floor: write + fsync + rename, {floor:.1f} ms")


def storms(store, workers, each, runs, table):
    """Many processes that create at once: the middle one of some times."""
    table.weigh(store, runs)
    found = sorted(storm(store, workers, each) for _ in range(STORMS))
    spent, _, _ = found[len(found) // 2]
    failed, lost = (sum(one[at] for one in found) for at in (1, 2))
    bar = STORM[workers] * table.slower
    table.add(f"{workers} x {each} parallel creates", store.size, f"{spent:.2f} s", f"{bar:.2f} s",
              failed == lost == 0 and spent <= bar,
              f"of {STORMS}: {found[0][0]:.2f} to {found[-1][0]:.2f} s; {failed} failed, {lost} lost; {workers * each / spent:.0f} a second")


def storm(store, workers, each):
    """Seconds, how many of the processes failed, and how many beads are not there once."""
    before = int(store.ask("count").split()[-1])
    script = f'i=0; while [ $i -lt {each} ]; do "$0" q "Storm $1 $i" || exit 1; i=$((i+1)); done'
    begin = time.perf_counter()
    running = [subprocess.Popen(["/bin/sh", "-c", script, store.program, str(number)], cwd=store.work, env=store.env,
                                stdout=subprocess.PIPE, text=True) for number in range(workers)]
    ids = [line for worker in running for line in worker.communicate()[0].split()]
    spent = time.perf_counter() - begin
    failed = sum(worker.returncode != 0 for worker in running)
    made = int(store.ask("count").split()[-1]) - before
    return spent, failed, workers * each - min(made, len(set(ids)))


def memory(store, table):
    rows = [("`ready`", ["ready"], 12), ("`show`", ["show", "{id}"], 12), ("`list`", ["list"], 12),
            ("`create`", ["create", "Weighed"], 16), ("`update`", ["update", "{id}", "--priority", "1"], 16),
            ("fold (`sync`)", ["sync"], None)]
    for name, words, bar in rows:
        found = peak(store.argv(words), store.work, store.env)
        if found is None:
            table.add("memory", store.size, "not measured: no GNU time", "", None)
            return
        bar = bar if store.size >= 100_000 else None  # below that it is the program itself
        table.add(f"peak memory of {name}", store.size, f"{found:.1f} MiB", f"{bar} MiB" if bar else "",
                  found <= bar if bar else None)
    (store.issues.parent / "index.bin").unlink(missing_ok=True)
    bar = 1.2 * store.issues.stat().st_size / (1024 * 1024)
    found = peak(store.argv(["ready"]), store.work, store.env)
    is_large = store.size >= 100_000
    table.add("peak memory of a rebuild", store.size, f"{found:.1f} MiB", f"{bar:.1f} MiB" if is_large else "",
              found <= bar if is_large else None)


def versus(ours, other, names, runs, table):
    """Both programs in turn, each on its own copy of the same beads."""
    contest = Contest(ours.env, runs)
    for name, words in SHARED.items():
        contest.add(("ours", name), lambda turn, words=words: ours.argv(words, turn), ours.work)
        contest.add(("other", name), lambda turn, words=names.get(name, words): other.argv(words, turn), other.work)
    found = contest.measure()
    for name in SHARED:
        mine, theirs = found["ours", name], found["other", name]
        kind = "write" if name in ("create", "update", "comment") else "read"
        bar = FASTER[kind].get(ours.size) if name != "version" else None
        table.add(f"`{name}` beside the other", ours.size, f"{mine:.2f} to {theirs:.2f} ms: {theirs / mine:.1f}x",
                  f"{bar}x" if bar else "", theirs / mine >= bar if bar else None)


def one_size(args, folder, size, table, small):
    corpus = folder / f"{size}.jsonl"
    with open(corpus, "w", encoding="utf-8") as out:
        subprocess.run([sys.executable, HERE / "make_corpus.py", str(size)], stdout=out, check=True)
    store = Store(args.bd, folder / f"ours-{size}", corpus, size)
    if size == args.sizes[0]:
        start(store, folder, 4 * args.runs, table)
    parts = [
        ("reads", lambda: reads(store, args.runs, table, small)),
        ("writes", lambda: writes(store, args.runs, table)),
        ("batch", lambda: batch(store, args.runs, table)),
        ("outside", lambda: outside(store, args.runs, table)),
        ("fold", lambda: fold(store, args.runs, table)),
        ("storm", lambda: [storms(store, workers, 20, args.runs, table) for workers in STORM]),
        ("memory", lambda: memory(store, table)),
        ("molecules", lambda: molecules(store, args.runs, table)),
        ("import", lambda: imports(store, corpus, table)),
    ]
    for name, part in parts:
        if not args.only or name in args.only:
            try:
                table.weigh(store, args.runs)
                part()
            except Failed as error:
                table.add(name, size, "failed", "", False, str(error).replace("|", " ")[:200])
    if args.other:
        names = json.loads(pathlib.Path(args.other_names).read_text()) if args.other_names else {}
        fresh = Store(args.bd, folder / f"fresh-{size}", corpus, size)
        other = Store(args.other, folder / f"other-{size}", corpus, size, [["sync", "--import-only"]])
        versus(fresh, other, names, args.runs, table)
    for left in [*folder.glob(f"*-{size}"), corpus]:
        shutil.rmtree(left) if left.is_dir() else left.unlink()


ABOUT = """Made by `make bench` (`BENCH='--out PATH'` writes it to a file); `make bench-code` measures the inner
loops alone. Whole processes from outside, release build as `make install` puts it, the lower quartile of {runs} or more, compared commands in turn; "start" is `bd version`. A bar
in milliseconds is made from the start, sync and rewrite times of the same minutes, so that a slower or busier machine moves both. Counts of system calls
and peak memory do not vary. Bars that are bare times (search, outside change, first use, fold, `close` of 100, parallel creates) were found on another machine, and are
stretched by how much longer a static program that does nothing takes in the same minute. Nothing here is a test: tests never hang on time.

The corpus (`tests/bench/make_corpus.py`) has the lengths, edges, labels and the 70 % of closed beads that real trackers have: 10k beads are
11 MB, 100k are 112 MB. The first command after an outside change follows a change of 20 lines. Small stores are folded with every write, which costs
syncs of the file, the journal, the history and the folder; larger ones after the answer, when the journal has more than 128 KiB or is 30 seconds old; a write of more than 128 KiB at once.
"""


def report(args, table):
    version = said([args.bd, "version"], "/", environment("/nonexistent")).strip()
    missed = [row for row in table.rows if row[4] == "**no**"]
    lines = ["# Benchmarks", "", f"`{version}`, {machine()}; load {os.getloadavg()[1]:.1f}; {time.strftime('%Y-%m-%d')}.", "",
             ABOUT.format(runs=args.runs), table.markdown(), "", "## What does not hold", ""]
    lines += [f"- {what} at {size or 'any size'}: {found}, the bar is {bar}" for what, size, found, bar, _, _ in missed]
    return "\n".join(lines + ([] if missed else ["Every bar held in this run."]) + [""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bd", required=True, type=lambda path: str(pathlib.Path(path).resolve()), help="the program")
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")], default=[1_000, 10_000, 100_000])
    parser.add_argument("--runs", type=int, default=25)
    parser.add_argument("--only", type=lambda text: text.split(","), help="parts: reads, writes, batch, outside, fold, storm, memory, molecules, import")
    parser.add_argument("--other", type=lambda path: str(pathlib.Path(path).resolve()), help="another tracker's program")
    parser.add_argument("--other-names", help="a JSON file: row to arguments, where the other's differ")
    parser.add_argument("--out", help="write the report to this file, too")
    args = parser.parse_args()
    out = pathlib.Path(args.out).resolve() if args.out else None
    table, small = Table(), {}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        folder = pathlib.Path(folder)
        args.bd = str(installed(args.bd, folder / "bin"))
        args.other = args.other and str(installed(args.other, folder / "other-bin"))
        for size in args.sizes:
            one_size(args, folder, size, table, small)
        os.chdir("/")
        growth(table, small)
        text = report(args, table)
    print(text)
    if out:
        out.write_text(text)


if __name__ == "__main__":
    main()
