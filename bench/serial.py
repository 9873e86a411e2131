#!/usr/bin/env python3
"""The serial share of programs under `teslapipe gl`, from the profiles in its log.

    teslapipe gl --threads 1 --log profile:FILE -- PROGRAM; bench/serial.py FILE...

Stages that stay with one thread, however many threads there are: decode, prepare, merge. The second half of the
lines counts, so that start-up is left out. The last columns are the speed-up on 16 and 64 threads by Amdahl's law.
"""
import os
import re
import sys

SERIAL = ("decode", "prepare", "merge")
print(f"{'':24}{'ms':>9}{'serial %':>9}" + "".join(f"{s:>9}" for s in SERIAL) + f"{'16 thr.':>9}{'64 thr.':>9}")
for path in sys.argv[1:]:
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = [line for line in file if "profile:" in line]
    stages = {}
    for line in lines[len(lines) // 2:]:
        for name, ms in re.findall(r" ([a-z]+) ([0-9.]+) \(\d+\)", line):
            stages[name] = stages.get(name, 0) + float(ms)
    total = sum(ms for name, ms in stages.items() if name != "idle") or 1
    share = sum(stages.get(name, 0) for name in SERIAL) / total
    name = os.path.splitext(os.path.basename(path))[0]
    print(f"{name:24}{total:9.0f}{100 * share:9.1f}" +
          "".join(f"{100 * stages.get(s, 0) / total:9.1f}" for s in SERIAL) +
          "".join(f"{1 / (share + (1 - share) / n):9.1f}" for n in (16, 64)))
