"""The examples in docstrings run and print what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import dagmar

MODULES = ["dagmar", *(m.name for m in pkgutil.walk_packages(dagmar.__path__, "dagmar.") if m.name != "dagmar._core")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    """Every example gives its printed result."""
    results = doctest.testmod(importlib.import_module(name))
    assert results.failed == 0
