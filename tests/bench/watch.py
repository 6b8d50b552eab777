"""What watching a town costs whose agents all write: `gt top` in a terminal, and the daemon with an open page."""
import fcntl
import http.client
import json
import os
import pty
import select
import struct
import termios
import threading
import time

# The bars: processor time in percent of a core, that of children included, bytes per second, and megabytes of memory.
CPU, BYTES, PAGE_CPU, PAGE_MEMORY = 3.0, 20_000, 5.0, 80
ROWS, COLUMNS = 50, 160
# The seconds before and of the measurement.
BEGIN, SPAN = 15, 60
CLOCK = os.sysconf("SC_CLK_TCK")

# An agent that writes a line, and a request in a transcript of Claude Code, every two seconds.
AGENT = """#!/bin/sh
folder="$HOME/.claude/projects/$(pwd -P | tr -c 'A-Za-z0-9\\n' '-')"
mkdir -p "$folder"
file="$folder/session-$$.jsonl"
: >"$file"
printf '{"hook_event_name":"PostToolUse","session_id":"session-%s","tool_name":"Bash","transcript_path":"%s"}' "$$" "$file" |
    gt signal event
number=0
while :; do
    number=$((number + 1))
    echo "step $number: reading file-$number.rs"
    printf '{"type":"assistant","timestamp":"%s","message":{"id":"m-%s-%s","model":"claude-sonnet-4-5","usage":{"input_tokens":4,"cache_read_input_tokens":%s,"output_tokens":200}}}\\n' \\
        "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$$" "$number" "$((number * 1000))" >>"$file"
    sleep 2
done
"""


def fill(place, agents):
    """Slings a bead to each of so many workers, and waits until their sessions run."""
    script = place.folder / "idle"
    script.write_text(AGENT)
    place.say(place.root, "config", "set", "scheduler.max_polecats", str(agents + 10), "--town")
    place.say(place.root, "config", "set", "max_polecats", str(agents + 10), "--rig", "web")
    place.say(place.root, "daemon", "start")
    beads = [place.create(f"Work {number}") for number in range(agents)]
    place.say(place.root, "sling", *beads, "web")
    until = time.monotonic() + 600
    while (running := count_running(place)) < agents:
        if time.monotonic() > until:
            raise SystemExit(f"only {running} of {agents} sessions run")
        time.sleep(2)


def count_running(place):
    rigs = json.loads(place.say(place.root, "status", "--json"))["rigs"]
    return sum(agent["running"] is True for rig in rigs for agent in rig["agents"])


def used(pid):
    """The processor time of a process and of its ended children, in seconds."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / CLOCK


def measure_top(place):
    """Percent of a core, and bytes per second."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(place.root)
        os.execve(place.gt, ["gt", "top"], place.env)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    read(terminal, BEGIN)
    before = used(pid)
    text = read(terminal, SPAN)
    cpu = (used(pid) - before) / SPAN * 100
    os.write(terminal, b"q")
    read(terminal, 1)
    os.waitpid(pid, 0)
    if b"step" not in text:
        raise SystemExit("no line of an agent was shown")
    return cpu, len(text) / SPAN


def read(terminal, seconds):
    """What is written to the terminal in this time."""
    text, end = bytearray(), time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        if select.select([terminal], [], [], left)[0]:
            try:
                text += os.read(terminal, 1 << 16)
            except OSError:
                break
    return bytes(text)


class Page:
    """A browser with the page open. It does what page.js does: it follows the events, and reads the overview after each
    change, at most twice a second. It reads the costs every 20 seconds."""

    def __init__(self, url):
        self.host = url.split("/")[2]
        entered = self.ask(url[url.index("/?"):], {})
        self.key = entered.getheader("location").split("key=")[1]
        self.headers = {"Cookie": entered.getheader("set-cookie").split(";")[0], "X-Gastown-Key": self.key}
        self.wanted, self.readings = threading.Event(), 0
        for work in (self.follow, self.read, self.read_costs):
            threading.Thread(target=work, daemon=True).start()

    def ask(self, path, headers):
        connection = http.client.HTTPConnection(self.host)
        connection.request("GET", path, headers=headers)
        return connection.getresponse()

    def follow(self):
        events = self.ask("/api/events", self.headers)
        while line := events.readline():
            if line.startswith(b"event:"):
                self.wanted.set()

    def read_costs(self):
        self.ask("/api/daily?metric=cost", self.headers).read()
        while True:
            self.ask("/api/costs?by=agent", self.headers).read()
            time.sleep(20)

    def read(self):
        while self.wanted.wait():
            self.wanted.clear()
            self.ask("/api/overview", self.headers).read()
            self.readings += 1
            time.sleep(0.5)


def measure_page(place):
    """Percent of a core and megabytes of the daemon while the page is open, and the readings per second."""
    pid = json.loads(place.say(place.root, "status", "--json"))["daemon"]["pid"]
    page = Page(json.loads(place.say(place.root, "dashboard", "--json"))["url"])
    time.sleep(BEGIN)
    before, readings = used(pid), page.readings
    time.sleep(SPAN)
    with open(f"/proc/{pid}/status") as file:
        memory = next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024
    return (used(pid) - before) / SPAN * 100, memory, (page.readings - readings) / SPAN


def report(place, agents):
    fill(place, agents)
    cpu, size = measure_top(place)
    page_cpu, memory, readings = measure_page(place)
    print(f"Watching {agents} agents that write every two seconds, {SPAN} s each; the page reads the town {readings:.1f} times a second\n")
    print("| What | Found | Bar | Holds |\n| --- | ---: | ---: | --- |")
    for name, found, bar in (
        (f"`gt top` in {COLUMNS} x {ROWS}: processor time, that of its children included", f"{cpu:.2f} % of a core", f"{CPU} %"),
        ("`gt top`: bytes to the terminal", f"{size / 1000:.1f} KB/s", f"{BYTES / 1000:.0f} KB/s"),
        ("`gtd` with an open page: processor time, that of its children included", f"{page_cpu:.2f} % of a core", f"{PAGE_CPU} %"),
        ("`gtd` with an open page: memory", f"{memory:.0f} MB", f"{PAGE_MEMORY} MB"),
    ):
        holds = "yes" if float(found.split()[0]) < float(bar.split()[0]) else "**no**"
        print(f"| {name} | {found} | {bar} | {holds} |")
