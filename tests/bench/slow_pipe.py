#!/usr/bin/env python3
"""Run a command, with a delay in each direction of its standard input and output, and count the bytes.

    slow_pipe.py SECONDS COUNTS COMMAND...
"""
import os
import pathlib
import queue
import subprocess
import sys
import threading
import time

CHUNK = 65536


def main():
    delay, counts, command = float(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    totals = [0, 0]

    def carry(which, source, target):
        waiting = queue.Queue()

        def read():
            while chunk := os.read(source, CHUNK):
                totals[which] += len(chunk)
                counts.write_text(f"{totals[0]} {totals[1]}")
                waiting.put((time.monotonic() + delay, chunk))
            waiting.put((0, b""))

        threading.Thread(target=read, daemon=True).start()
        while True:
            due, chunk = waiting.get()
            if not chunk:
                os.close(target)
                return
            time.sleep(max(0, due - time.monotonic()))
            while chunk:
                chunk = chunk[os.write(target, chunk):]

    forth = threading.Thread(target=carry, args=(0, 0, child.stdin.fileno()), daemon=True)
    forth.start()
    carry(1, child.stdout.fileno(), 1)


if __name__ == "__main__":
    main()
