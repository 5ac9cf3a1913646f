"""Faults for `make mutants`: each can still be planted, and the test that should catch it exists."""

import pytest

from fuzzing.mutants import CORE, MUTANTS, ROOT, table


@pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant.name for mutant in MUTANTS])
def test_fault_can_be_planted(mutant):
    """The text that a fault replaces occurs once, its test is there, and the fault can be taken out again."""
    text = (ROOT / mutant.file).read_text()
    assert text.count(mutant.old) == 1
    assert mutant.new != mutant.old
    assert text.replace(mutant.old, mutant.new).count(mutant.new) == 1
    if mutant.test == "tsan":
        return
    file, _, test = mutant.test.partition("::")
    tests = (ROOT / file).read_text()
    assert not test or f"def {test.partition('[')[0]}(" in tests


def test_every_room_has_faults():
    """No part of the core is without a fault that a test has caught."""
    assert {mutant.room for mutant in MUTANTS} == {path.name for path in (ROOT / CORE).iterdir()}


def test_document_names_the_same_faults_and_tests():
    """The table of docs/reliability.md is the one that `python -m fuzzing.mutants --list` prints."""
    assert "\n".join(["", *table(), ""]) in (ROOT / "docs" / "reliability.md").read_text()
