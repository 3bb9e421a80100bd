"""Names each place that llvm-cov show (standard input) marks as missing: lines, branches, conditions."""
import re
import sys

name = decision = ""
for text in sys.stdin:
    text = text.rstrip()
    if text.startswith("/"):
        name = text.rstrip(":").rsplit("/", 1)[1]
    elif line := re.match(r"\s*(\d+)\|\s*0\|(.*)", text):
        print(f"{name}:{line[1]}: never run: {line[2].strip()}")
    elif branch := re.search(r"Branch \((\d+):(\d+)\): \[True: (\S+), False: (\S+)\]", text):
        if "0" in (branch[3], branch[4]):
            print(f"{name}:{branch[1]}:{branch[2]}: never {'true' if branch[3] == '0' else 'false'}")
    elif region := re.search(r"MC/DC Decision Region \((\S+)\)", text):
        decision = region[1]
    elif pair := re.search(r"(C\d+)-Pair: not covered", text):
        print(f"{name}:{decision}: condition {pair[1]} not shown to decide")
