#!/usr/bin/env python3
"""Measure what watching a town costs: the daemon without and with an open page, and `gt top`.

    make bench-watch

The town has `--agents` workers whose scripts print a line every five seconds. A share of a core is the processor time of
the process, without its children, over `--seconds`. The client of the page does what page.js does: it follows the events,
and reads the overview after each change, at most twice a second. Needs git and tmux.
"""
import argparse
import http.client
import json
import os
import pathlib
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from fcntl import ioctl

from measure import installed, machine
from town import Place

# Shares of a core in percent, megabytes and kilobytes per second.
BARS = {"idle daemon": 0.5, "daemon with a page": 5, "memory of the daemon": 80, "gt top": 3, "output of gt top": 20}
TICKS = os.sysconf("SC_CLK_TCK")


def spent(pid):
    """The processor time of a process in seconds."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def share(pid, seconds):
    """The share of a core that a process uses, in percent."""
    before, begin = spent(pid), time.monotonic()
    time.sleep(seconds)
    return 100 * (spent(pid) - before) / (time.monotonic() - begin)


def memory(pid):
    """The resident memory of a process in megabytes."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


class Page:
    """A browser with the page open."""

    def __init__(self, url):
        self.host = url.split("/")[2]
        entered = self.ask(url[url.index("/?"):], {})
        self.key = entered.getheader("location").split("key=")[1]
        self.headers = {"Cookie": entered.getheader("set-cookie").split(";")[0], "X-Gastown-Key": self.key}
        self.wanted, self.readings = threading.Event(), 0
        for work in (self.follow, self.read):
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

    def read(self):
        while self.wanted.wait():
            self.wanted.clear()
            self.ask("/api/overview", self.headers).read()
            self.readings += 1
            time.sleep(0.5)


def watch_top(place, seconds):
    """The share of a core and the kilobytes per second of `gt top` in a terminal of 200 columns."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(place.root)
        os.execve(place.gt, [place.gt, "top"], place.env)
    ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
    count = [0]

    def drain():
        try:
            while select.select([terminal], [], [])[0]:
                count[0] += len(os.read(terminal, 65536))
        except OSError:
            pass

    threading.Thread(target=drain, daemon=True).start()
    time.sleep(5)
    before = count[0]
    found = share(pid, seconds)
    written = (count[0] - before) / 1000 / seconds
    os.kill(pid, signal.SIGTERM)
    os.waitpid(pid, 0)
    return found, written


def fill(place, agents):
    """Slings a bead to each agent."""
    talk = "#!/bin/sh\nwhile :; do echo \"$(date) still at work on it\"; sleep 5; done\n"
    script = place.folder / "idle"
    script.write_text(talk)
    settings = place.root / "settings/config.json"
    told = json.loads(settings.read_text()) | {"scheduler": {"max_polecats": agents + 1}}
    settings.write_text(json.dumps(told))
    bd = str(pathlib.Path(place.gt).parent / "bd")
    for number in range(agents):
        words = [bd, "create", f"Bead {number} of many", "--silent"]
        bead = subprocess.run(words, cwd=place.root / "web", env=place.env, check=True, stdout=subprocess.PIPE, text=True)
        place.say(place.root, "sling", bead.stdout.strip(), "web")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", required=True, type=lambda path: pathlib.Path(path).resolve(), help="the folder of bd, gt and gtd")
    parser.add_argument("--agents", type=int, default=100)
    parser.add_argument("--seconds", type=int, default=30)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="gt-", dir="/tmp", ignore_cleanup_errors=True) as folder:
        programs = pathlib.Path(folder) / "bin"
        for name in ("bd", "gt", "gtd"):
            installed(args.programs / name, programs)
        place = Place(pathlib.Path(folder), programs, 1000)
        place.env.pop("GT_ROLE")
        try:
            fill(place, args.agents)
            place.say(place.root, "up")
            status = json.loads(place.say(place.root, "status", "--json"))
            pid = status["daemon"]["pid"]
            time.sleep(20)
            found = {"idle daemon": share(pid, args.seconds)}
            page = Page(json.loads(place.say(place.root, "dashboard", "--json"))["url"])
            time.sleep(5)
            before = page.readings
            found["daemon with a page"] = share(pid, args.seconds)
            found["memory of the daemon"] = memory(pid)
            readings = (page.readings - before) / args.seconds
            found["gt top"], found["output of gt top"] = watch_top(place, args.seconds)
            working = sum(agent["state"] == "working" for rig in status["rigs"] for agent in rig["agents"] if "state" in agent)
        finally:
            place.end()
    print(f"{machine()}; {working} of {args.agents + 1} agents working, {readings:.1f} readings of the page per second")
    for name, value in found.items():
        print(f"{name:<24} {value:7.2f}   bar {BARS[name]}   {'holds' if value < BARS[name] else 'does not hold'}")


if __name__ == "__main__":
    sys.exit(main())
