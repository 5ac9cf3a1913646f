"""Tests by pytest, each with a line in a file as soon as its result is known, so that a run can be stopped and continued.

``python release/record.py RESULTS SECONDS tests/core`` leaves out tests that have a result in the file ``RESULTS``. A line is
JSON: the test, its outcome, seconds and reason. A line without an outcome says that a test begins; if no other follows, the
test ended its process, which also happens after these ``SECONDS``. It needs pytest alone, whatever Python runs it.
"""

import faulthandler
import json
import sys
from pathlib import Path

import pytest


class Record:
    """A plugin that writes the lines."""

    def __init__(self, path: Path, seconds: float) -> None:
        self.done = {line["test"] for line in lines(path) if line["outcome"]}
        self.file = path.open("a", encoding="utf-8")
        self.stacks = path.with_suffix(".stacks").open("a", encoding="utf-8")
        self.seconds = seconds

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out what is done."""
        items[:] = [item for item in items if item.nodeid not in self.done]

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Write down files that are skipped as a whole, or cannot be read."""
        if report.outcome != "passed" and report.nodeid not in self.done:
            self.write(report.nodeid, "skipped" if report.skipped else "failed", 0.0, reason_of(report))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Write down that a test begins, and start its clock."""
        self.outcome, self.spent, self.reason = "passed", 0.0, ""
        self.write(nodeid)
        faulthandler.dump_traceback_later(self.seconds, exit=True, file=self.stacks)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Gather the results of setup, call and teardown."""
        self.spent += report.duration
        if report.outcome != "passed":
            xfailed = hasattr(report, "wasxfail") and report.skipped
            self.outcome = "xfailed" if xfailed else report.outcome
            self.reason += reason_of(report)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Write down the result of a test."""
        faulthandler.cancel_dump_traceback_later()
        self.write(nodeid, self.outcome, self.spent, self.reason)

    def write(self, test: str, outcome: str | None = None, seconds: float = 0.0, reason: str = "") -> None:
        """Write a line."""
        line = {"test": test, "outcome": outcome, "seconds": round(seconds, 2), "reason": reason}
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()


def lines(path: Path) -> list[dict[str, str]]:
    """Return what a file of results has so far."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def reason_of(report: pytest.CollectReport | pytest.TestReport) -> str:
    """Return why a test was skipped or failed: that alone for skips, with the end of the traceback for failures."""
    if report.skipped and isinstance(report.longrepr, tuple):
        return str(report.longrepr[2]).removeprefix("Skipped: ")
    return str(report.longrepr)[-3000:]


if __name__ == "__main__":
    plugin = Record(Path(sys.argv[1]), float(sys.argv[2]))
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[3:]], plugins=[plugin]))
