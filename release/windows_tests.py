"""Tests under Wine, in pieces: a run that is stopped goes on where it was, and a test that ends its process ends no other.

``python -m release.windows_tests --minutes 30`` continues for half an hour in what `release.windows` has unpacked. Results of
each piece, a room of the tests, are kept in ``build/release/windows/results``; ``--again`` drops those of failed tests. In the
end a summary says how many of the tests that Linux has passed, failed, were skipped and why, or were not run yet.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from release.record import lines
from release.windows import PYTHON, RESULTS, wine_variables
from release.zig import ROOT

SLOW = ("experiments", "agreement", "robustness")  # rooms that are tested last
SECONDS = 120  # for one test
AT_ONCE = 2  # pieces side by side


def main() -> None:
    """Run what is not done, and print the summary."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tests", nargs="*", help="folders or files; all, if there are none")
    parser.add_argument("--minutes", type=float, default=120, help="stop then")
    parser.add_argument("--again", action="store_true", help="run failed tests again")
    arguments = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    if arguments.again:
        for path in RESULTS.glob("*.jsonl"):
            keep(path, [line for line in finished(path) if line["outcome"] not in ("failed", "ended")])
    end = time.monotonic() + 60 * arguments.minutes
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for finding in [pool.submit(run_piece, *piece, end) for piece in pieces(arguments.tests)]:
            finding.result()
    print(summary())


def pieces(tests: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Return names of pieces, and their folders and files."""
    if tests:
        return [(test.strip("/").replace("/", "-").removesuffix(".py"), [test]) for test in tests]
    folders = sorted({path.relative_to(ROOT / "tests").parts[0] for path in (ROOT / "tests").glob("*/**/test_*.py")})
    folders.sort(key=lambda room: SLOW.index(room) if room in SLOW else -1)
    files = sorted(f"tests/{path.name}" for path in (ROOT / "tests").glob("test_*.py"))
    return [*((f"tests-{room}", [f"tests/{room}"]) for room in folders), ("tests", files)]


def run_piece(name: str, tests: list[str], end: float) -> None:
    """Run the tests of a piece that have no result, until all have one or the time is over."""
    path = RESULTS / f"{name}.jsonl"
    while time.monotonic() < end:
        before = finished(path)
        keep(path, before)
        code = record(path, tests, end)
        after = finished(path)
        begun = [line for line in lines(path)[-1:] if not line["outcome"]]
        if code is None:
            keep(path, after)
        elif begun:
            reason = f"ended its process (with {code}), or took more than {SECONDS} s"
            keep(path, [*after, *(line | {"outcome": "ended", "reason": reason} for line in begun)])
        elif code in (0, 1, 2, 5) or len(after) == len(before):  # pytest's own codes, or no progress
            print(f"{name}: {len(after)} results, code {code}", flush=True)
            return


def record(path: Path, tests: Sequence[str], end: float) -> int | None:
    """Run tests until the time is over; return the exit code.

    Wine hands on pipes, but not every file. Its services keep the pipe open, so the end of what is printed is not the end.
    """
    script = ["release/record.py", str(path.relative_to(ROOT)), str(SECONDS)]
    command = ["wine", str(PYTHON / "python.exe"), *script, *tests]
    with path.with_suffix(".txt").open("w") as printed:
        pipe = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=printed)
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=wine_variables(),
        stdin=subprocess.DEVNULL,
        stdout=pipe.stdin,
        stderr=subprocess.STDOUT,
    )
    try:
        return process.wait(max(0.0, end - time.monotonic()))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return None
    finally:
        pipe.kill()
        pipe.communicate()


def finished(path: Path) -> list[dict[str, Any]]:
    """Return the results in a file."""
    return [line for line in lines(path) if line["outcome"]]


def keep(path: Path, results: Sequence[dict[str, Any]]) -> None:
    """Write a file of results anew."""
    path.write_text("".join(json.dumps(line) + "\n" for line in results))


def summary() -> str:
    """Return how the tests of Linux fared under Wine, with the reasons of skips and failures."""
    command = [sys.executable, "-P", "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    listed = subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE, check=True).stdout.splitlines()
    expected = {line for line in listed if "::" in line}
    results = {line["test"]: line for path in sorted(RESULTS.glob("*.jsonl")) for line in finished(path)}
    whole = {test for test in results if "::" not in test}  # files that were skipped, or could not be read
    found = {test: results.get(test) or results.get(test.partition("::")[0]) for test in expected}
    outcomes = Counter(line["outcome"] if line else "not run" for line in found.values())
    skips = Counter(line["reason"] for line in found.values() if line and line["outcome"] == "skipped")
    failures = [line for test, line in sorted(results.items()) if line["outcome"] in ("failed", "ended")]
    text = [f"{line['test']}: {line['outcome']}\n{line['reason']}\n" for line in failures]
    text += [f"only here: {test}" for test in sorted(results.keys() - expected - whole)]
    text += [f"skipped {count}: {reason}" for reason, count in skips.most_common()]
    text += [f"of {len(expected)} tests on Linux: {dict(outcomes)}, {outcomes['passed'] / len(expected):.1%} passed"]
    (RESULTS / "summary.txt").write_text("\n".join(text) + "\n")
    return text[-1]


if __name__ == "__main__":
    main()
