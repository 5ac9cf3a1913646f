"""The examples in docstrings run and print what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import dagmar
import experiments

NOT_PYTHON = {"dagmar._core"}


def modules(package) -> list[str]:
    """The names of a package and of all its modules."""
    name = package.__name__
    found = (module.name for module in pkgutil.walk_packages(package.__path__, f"{name}."))
    return [name, *(module for module in found if module not in NOT_PYTHON and not module.endswith("__main__"))]


@pytest.mark.parametrize("name", [*modules(dagmar), *modules(experiments)])
def test_examples_run(name: str) -> None:
    """Every example gives its printed result; modules of the experiments may need what is not installed."""
    if name.startswith("experiments."):
        module = pytest.importorskip(name, exc_type=ImportError)
    else:
        module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0
