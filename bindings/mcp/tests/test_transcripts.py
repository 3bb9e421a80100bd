"""Plays tests/transcripts/*.txt against the sample database: each line that begins with "-> " is sent, and
the answer has to be, byte for byte, the line "<- " behind it; "<- nothing" stands for no answer.

    test_transcripts.py SERVER [--write]      --write records the answers anew

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import sys
import unittest

from mcp_client import Server, tap

TRANSCRIPTS = sorted((pathlib.Path(__file__).parent / "transcripts").glob("*.txt"))


def play(path):
    """The transcript as the server answers now."""
    lines = []
    with Server("--demo") as s:
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("<- "):
                continue
            lines.append(line)
            if line.startswith("-> "):
                s.send(line[3:])
                quiet = '"id"' not in line and '"method"' in line
                lines.append("<- " + ("nothing" if quiet and s.nothing_comes() else s.messages.get(timeout=20).decode().rstrip("\n")))
    return "\n".join(lines) + "\n"


class Transcripts(unittest.TestCase):
    maxDiff = None


for transcript in TRANSCRIPTS:
    def check(self, path=transcript):
        self.assertEqual(play(path), path.read_text(encoding="utf-8"))
    setattr(Transcripts, f"test_{transcript.stem}", check)

if __name__ == "__main__":
    if "--write" in sys.argv:
        for transcript in TRANSCRIPTS:
            transcript.write_text(play(transcript), encoding="utf-8")
    else:
        tap.main()
