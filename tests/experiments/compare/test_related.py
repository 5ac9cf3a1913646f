"""Sets that do not count by themselves."""

from experiments.compare.related import GENERATED, RELATED, Counting


def test_groups_do_not_overlap():
    """A set is in one group at most, and the name of a group is no set outside it."""
    members = [name for names, _ in RELATED.values() for name in names]
    assert len(members) == len(set(members))
    assert not set(members) & set(GENERATED)
    for group, (names, reason) in RELATED.items():
        assert len(names) > 1
        assert reason
        assert {Counting().counts_as(name) for name in names} == {group}


def test_every_generated_set_has_a_reason():
    """The reason is shown in the table of sets."""
    assert all(GENERATED.values())
    assert {"waveform-v1", "autoUniv-au7-700"} <= set(GENERATED)


def test_configuration_adds_to_both():
    """What is known of the standard sets stays."""
    counting = Counting().with_more(["toy"], [["a", "b"]])
    assert counting.counts_as("toy") is None
    assert counting.counts_as("a") == counting.counts_as("b") == "a, b"
    assert counting.counts_as("banana") is None
    assert counting.words("toy") == "not: said so in the configuration"
    assert counting.words("b") == "as one of “a, b”: said so in the configuration"
    assert counting.words("iris") == "by itself"
