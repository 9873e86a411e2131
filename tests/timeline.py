"""Checks a time line (--timeline) for tests/tools/timeline.sh and tests/gl/timeline.sh.
usage: timeline.py FILE KINDS [SHARE]: the file is in the Trace Event Format, which Perfetto and Chrome read: events
have the fields that the format demands, of the right types. Every event of a kind in KINDS (names with commas between)
occurs; events of a thread lie inside each other or apart; passes begin before they end; and events, waits included,
account for SHARE percent of the time of the machine's threads between the first event of each and the last."""
import json
import sys

NUMBER = (int, float)
FIELDS = {  # fields of each kind of event, beside those of all events
    "X": {"ts": NUMBER, "dur": NUMBER, "cat": str},
    "b": {"ts": NUMBER, "id": (int, str), "cat": str},
    "e": {"ts": NUMBER, "id": (int, str), "cat": str},
    "i": {"ts": NUMBER, "s": str},
    "M": {"args": dict},
}


def check_format(line):
    assert line.get("displayTimeUnit") in ("ms", "ns"), "displayTimeUnit is ms or ns"
    assert isinstance(line["traceEvents"], list)
    for e in line["traceEvents"]:
        assert e.get("ph") in FIELDS, "unknown phase: %s" % e
        fields = {"name": str, "pid": int, "tid": int, **FIELDS[e["ph"]]}
        for field, kind in fields.items():
            assert isinstance(e.get(field), kind) and not isinstance(e[field], bool), "%s of %s" % (field, e)
        assert isinstance(e.get("args", {}), dict), "args of %s" % e
        for field in "ts", "dur":
            assert 0 <= e.get(field, 0) < 2**53, "%s of %s" % (field, e)
        assert not isinstance(e.get("id"), int) or 0 <= e["id"] < 2**53, "JavaScript rounds the id of %s" % e
        if e["ph"] == "i":
            assert e["s"] in ("g", "p", "t"), "scope of %s" % e
        if e["ph"] == "M":
            assert e["name"] in ("process_name", "thread_name", "thread_sort_index"), "%s" % e
            assert e["name"] != "thread_name" or e["args"]["name"], "%s" % e


with open(sys.argv[1]) as file:
    line = json.load(file)
check_format(line)
events = line["traceEvents"]
assert line["otherData"]["complete"]
names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
found = {e["name"] for e in events}
missing = set(sys.argv[2].split(",")) - found
assert not missing, "no event: %s" % ", ".join(sorted(missing))
begins = {e["id"]: e["ts"] for e in events if e["ph"] == "b"}
for e in events:
    if e["ph"] == "e":
        assert e["ts"] >= begins.pop(e["id"])
assert not begins
for e in events:
    if e["name"] == "wait":
        assert e["args"]["for"]
    if e["name"] == "flush":
        assert e["args"]["cause"]

SLACK = 0.002  # microseconds: times have three digits
covered = whole = 0
for thread, name in names.items():
    own = sorted((e for e in events if e["ph"] == "X" and e["tid"] == thread),
                 key=lambda e: (e["ts"], -e["dur"]))
    stack, end = [], None
    for e in own:
        last = e["ts"] + e["dur"]
        while stack and stack[-1] <= e["ts"] + SLACK:
            stack.pop()
        assert not stack or last <= stack[-1] + SLACK, "%s: %s leaves the event that it began in" % (name, e)
        stack.append(last)
    if not own or name == "program":  # events of the program itself have no thread of the machine
        continue
    start = end = own[0]["ts"]
    for e in own:
        last = e["ts"] + e["dur"]
        covered += max(0, last - max(end, e["ts"]))
        end = max(end, last)
    whole += end - start
share = 100 * covered / whole
print("%.2f %% of the threads' time" % share)
assert len(sys.argv) < 4 or share >= float(sys.argv[3]), "events account for %.2f %%" % share
