"""`gt top` in a terminal, in a town whose agents all write: processor time and bytes to the terminal."""
import fcntl
import json
import os
import pty
import select
import struct
import termios
import time

# The bars: processor time in percent of a core, its children's included, and bytes per second.
CPU, BYTES = 3.0, 20_000
ROWS, COLUMNS = 50, 160
# The seconds before and of the measurement.
BEGIN, SPAN = 15, 120
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


def measure(place):
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


def report(place, agents):
    fill(place, agents)
    cpu, size = measure(place)
    print(f"`gt top` with {agents} agents that write every two seconds, {COLUMNS} x {ROWS}, {SPAN} s\n")
    print("| What | Found | Bar | Holds |\n| --- | ---: | ---: | --- |")
    print(f"| processor time, its children's included | {cpu:.2f} % of a core | {CPU} % | {'yes' if cpu < CPU else '**no**'} |")
    print(f"| bytes to the terminal | {size / 1000:.1f} KB/s | {BYTES / 1000:.0f} KB/s | {'yes' if size < BYTES else '**no**'} |")
