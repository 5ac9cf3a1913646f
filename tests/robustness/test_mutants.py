"""Faults for `make mutants`: each can still be planted, and the test that should catch it exists."""

import pytest

from fuzzing.mutants import MUTANTS, ROOT


@pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant.name for mutant in MUTANTS])
def test_fault_can_be_planted(mutant):
    """The text that a fault replaces occurs once, and its test is there."""
    assert (ROOT / mutant.file).read_text().count(mutant.old) == 1
    assert mutant.new != mutant.old
    file, _, test = mutant.test.partition("::")
    if test:
        assert f"def {test.partition('[')[0]}(" in (ROOT / file).read_text()
