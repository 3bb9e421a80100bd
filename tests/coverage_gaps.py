"""Names each place that llvm-cov show (standard input) marks as missing: lines, branches, conditions.

coverage_gaps.py ROOT. Fails for a place that tests/coverage_known.txt does not list, and for a line of that
list where nothing is missing.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
gaps = {}  # (file, line): what is missing there
name, decision, lines = "", 0, 0
for text in sys.stdin:
    text = text.rstrip()
    if text.startswith("/"):
        name = "lib/" + text.rstrip(":").rsplit("/", 1)[1]
    elif line := re.match(r"\s*(\d+)\|\s*(\d[^|]*)\|", text):
        lines += 1
        if line[2] == "0":
            gaps.setdefault((name, int(line[1])), []).append("never run")
    elif branch := re.search(r"Branch \((\d+):(\d+)\): \[True: (\S+), False: (\S+)\]", text):
        if "0" in (branch[3], branch[4]):
            what = f"column {branch[2]} never {'true' if branch[3] == '0' else 'false'}"
            gaps.setdefault((name, int(branch[1])), []).append(what)
    elif region := re.search(r"MC/DC Decision Region \((\d+):", text):
        decision = int(region[1])
    elif pair := re.search(r"(C\d+)-Pair: not covered", text):
        gaps.setdefault((name, decision), []).append(f"condition {pair[1]} not shown to decide")

known = {}  # (file, source): reason
for text in (root / "tests/coverage_known.txt").read_text(encoding="utf-8").splitlines():
    if text and not text.startswith("#"):
        file, source, reason = text.split("\t")
        known[file, source] = reason
missing = {}
for (name, number), what in sorted(gaps.items()):
    source = (root / name).read_text(encoding="utf-8").splitlines()[number - 1].strip()
    if (name, source) not in known:
        missing[name, number] = source
        print(f"{name}:{number}: {'; '.join(dict.fromkeys(what))}: {source}")
    known[name, source] = ""
stale = [key for key, reason in known.items() if reason]
for name, source in stale:
    print(f"{name}: all is covered, but listed: {source}")
print(f"{lines} lines run, {len(gaps)} with something missing, {len(missing)} of them not listed")
sys.exit(bool(missing or stale or not lines))
