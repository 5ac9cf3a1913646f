"""Run scikit-learn's own tests of its SVMs with `dagmar.SVC` in the place of `sklearn.svm.SVC`.

The test files are those of the installed scikit-learn. As a program, in an interpreter of its own::

    python run_sklearn_suite.py outcomes.json [--forgiving "test_svc or test_precomputed"]

writes what became of each test: ``{"strict": {"test_svm.py::test_bad_input[lil_matrix]": "passed", ...}}``, and under
"forgiving" what became of some of them with a more forgiving class. Importing and collecting take longer than the tests,
so both runs share a process.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import inspect
import json
import os
import sys
from pathlib import Path
from typing import Any

FILES = ("test_svm.py", "test_sparse.py")


def find_files() -> list[Path]:
    """The test files of the installed scikit-learn; none if it came without them."""
    found = importlib.util.find_spec("sklearn.svm")
    if found is None or found.origin is None:
        return []
    files = [Path(found.origin).parent / "tests" / name for name in FILES]
    return files if all(file.is_file() for file in files) else []


def stand_in(forgiving: bool = False) -> type:
    """`dagmar.SVC` under the name SVC, answering by max wins unless told otherwise.

    Parameters
    ----------
    forgiving : bool
        Whether it solves to the last digit by default. Then tests can pass whose subject is not what happens below `tol`.
    """
    import dagmar

    defaults: dict[str, Any] = {"structure": "max_wins"}
    if forgiving:
        defaults |= {"tol": 1e-11}

    class SVC(dagmar.SVC):
        def __init__(self, **params: Any) -> None:
            super().__init__(**(defaults | params))

    # scikit-learn reads the names and defaults of parameters from the signature.
    signature = inspect.signature(dagmar.SVC.__init__)
    parameters = dict(signature.parameters)
    for name, value in defaults.items():
        parameters[name] = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value)
    SVC.__init__.__signature__ = signature.replace(parameters=list(parameters.values()))  # type: ignore[attr-defined]
    return SVC


class Outcomes:
    """A pytest plugin that notes what became of each test."""

    def __init__(self) -> None:
        self.of_test: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note the test itself, and its setup or teardown where that is what failed or was skipped."""
        name = report.nodeid.rsplit("/", 1)[-1]
        if self.of_test.get(name) != "failed" and (report.when == "call" or report.outcome != "passed"):
            self.of_test[name] = report.outcome

    def pytest_collectreport(self, report: Any) -> None:
        """Note a file that cannot be collected as a failure."""
        if report.failed:
            self.of_test[report.nodeid] = "failed"


def run(forgiving: bool, *arguments: str) -> dict[str, str]:
    """Replace, run, and tell what became of each test."""
    import pytest
    import sklearn.svm

    sklearn.svm.SVC = sklearn.svm._classes.SVC = stand_in(forgiving)
    files = find_files()
    for name in [name for name in sys.modules if name.startswith("sklearn.svm.tests.")]:
        del sys.modules[name]  # an earlier run may have left its SVC in them
    outcomes = Outcomes()
    # Their files and their conftest, none of our settings; nothing that only makes failures, of which there are many, nicer.
    settings = ["-c", os.devnull, "--rootdir", str(files[0].parent), "-p", "no:cacheprovider", "-q", "--tb=line"]
    settings.append("--assert=plain")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    with contextlib.redirect_stdout(sys.stderr):
        pytest.main([*settings, *arguments, *map(str, files)], plugins=[outcomes])
    return outcomes.of_test


def main() -> None:
    """Run all tests, then some again."""
    parser = argparse.ArgumentParser(description="scikit-learn's SVM tests on dagmar.SVC")
    parser.add_argument("outcomes", type=Path)
    parser.add_argument("--forgiving", metavar="EXPRESSION", help="the tests to run again, as of pytest's -k")
    arguments = parser.parse_args()
    outcomes = {"strict": run(False)}
    if arguments.forgiving:
        outcomes["forgiving"] = run(True, "-k", arguments.forgiving)
    arguments.outcomes.write_text(json.dumps(outcomes, indent=1))


if __name__ == "__main__":
    main()
