"""The examples of docs/results.md run and print what they say."""

import doctest
from pathlib import Path

import pandas as pd

PAGE = Path(__file__).parents[1] / "docs" / "results.md"


def test_examples_run():
    """Every example gives its printed result; trailing spaces, which pandas prints, do not matter."""
    with pd.option_context("display.width", 120):
        # Lines of a code fence end the output of the example before them.
        found = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert found.attempted > 10
    assert found.failed == 0
