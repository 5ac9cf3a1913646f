"""Tests with the oldest dependencies that ``pyproject.toml`` allows, or with the newest, on several Pythons.

``python -m release.versions --oldest python3.11`` compiles the package and tests it in a fresh virtual environment. Tests of
optional parts, whose packages are missing there, are skipped.
"""

from __future__ import annotations

import argparse
import tomllib

from release.zig import ROOT, answer, environment, run

TESTS = [f"tests/{room}" for room in ("core", "estimators", "structures", "machines", "files", "interop", "problem")]


def main() -> None:
    """Test each Python of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pythons", nargs="+")
    parser.add_argument("--oldest", action="store_true", help="with the oldest dependencies, instead of the newest")
    parser.add_argument("--package", default=str(ROOT), help="what to test: a folder or a wheel")
    arguments = parser.parse_args()
    with open(ROOT / "pyproject.toml", "rb") as file:
        project = tomllib.load(file)["project"]
    dependencies = project["dependencies"]
    if arguments.oldest:
        dependencies = [dependency.replace(">=", "==") for dependency in dependencies]
    for python in arguments.pythons:
        name = "oldest" if arguments.oldest else "newest"
        name += "-" + answer(python, "-c", "import sysconfig; print(sysconfig.get_config_var('SOABI'))")
        inside = environment(python, name, *dependencies, *project["optional-dependencies"]["test-wheel"])
        run(inside, "-m", "pip", "install", "--quiet", "--no-deps", arguments.package)
        print(answer(inside, "-m", "pip", "freeze"), flush=True)
        run(inside, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS)


if __name__ == "__main__":
    main()
