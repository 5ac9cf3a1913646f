"""The extras of the package."""

import tomllib
from pathlib import Path

import pytest

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
FOR_DEVELOPERS = {
    "compare",
    "demo",
    "reproduce",
    "bench",
    "test",
    "test-wheel",
    "clients",
    "docs",
}  # what the targets of the Makefile need


@pytest.fixture(scope="module")
def extras():
    return tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]


def test_all_has_every_optional_part_of_the_library(extras):
    """`pip install "dagmar[all]"` installs what every other extra for users installs, and nothing else."""
    for_users = {name: set(needed) for name, needed in extras.items() if name not in FOR_DEVELOPERS | {"all"}}
    assert {"progress", "plot", "cli"} <= set(for_users)
    assert set(extras["all"]) == set.union(*for_users.values())


def test_extras_of_developers_exist(extras):
    """Every target of the Makefile that installs an extra finds it."""
    assert set(extras) >= FOR_DEVELOPERS
