#!/usr/bin/env python3
"""Simulates a farm: frames go to whichever rank is free, as in teslapipe-mpi. In: a folder with the frames that one
process wrote one after the other; the times between its files are the frame times. Out: a table of speed-ups.
usage: stragglers.py FOLDER [FRAMES] [START_SECONDS] [SLOW_SHARE SLOW_FACTOR]"""
import heapq
import os
import random
import sys

folder = sys.argv[1]
frames = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
start = float(sys.argv[3]) if len(sys.argv) > 3 else 1.0
share, factor = (float(a) for a in sys.argv[4:6]) if len(sys.argv) > 5 else (0.01, 3.0)
written = sorted(os.stat(os.path.join(folder, f)).st_mtime_ns for f in os.listdir(folder) if not f.endswith(".manifest"))
times = [(b - a) * 1e-9 for a, b in zip(written, written[1:])]
print(f"{len(times)} frame times: mean {sum(times) / len(times):.4f} s, longest {max(times):.4f} s")
print(f"{frames} frames, start-up {start:g} s, {share:.0%} of the ranks slower by {factor:g}")
print(f"{'ranks':>8} {'seconds':>9} {'speed-up':>9} {'efficiency':>10}")
for ranks in (1, 2, 16, 64, 160, 1600, 16000):
    random.seed(1)
    work = [random.choice(times) for _ in range(frames)]
    slow = [factor if random.random() < share and ranks > 1 else 1.0 for _ in range(ranks)]
    free = [(start, r) for r in range(ranks)]
    end = start
    for t in work:
        at, r = heapq.heappop(free)
        end = max(end, at + t * slow[r])
        heapq.heappush(free, (at + t * slow[r], r))
    speed = sum(work) / end
    print(f"{ranks:8} {end:9.1f} {speed:9.1f} {speed / ranks:10.2f}")
