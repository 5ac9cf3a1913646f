"""Lists of different lengths in one array, against lists of Python."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dagmar.base.lists import begin_of, join_begins, select_lists

lists_of_numbers = st.lists(st.lists(st.integers(0, 99), max_size=5), max_size=8)


def flat(lists):
    """The two arrays that hold these lists."""
    return begin_of([len(one) for one in lists]), np.array([x for one in lists for x in one], dtype=np.int64)


def unpacked(begin, entries):
    """The lists that two arrays hold."""
    return [entries[begin[m] : begin[m + 1]].tolist() for m in range(len(begin) - 1)]


@given(lists_of_numbers)
def test_begin_of_places_every_list(lists):
    """Every list is found again where it begins; the last entry is the total."""
    begin, entries = flat(lists)
    assert begin.dtype == np.int64
    assert begin[-1] == len(entries)
    assert unpacked(begin, entries) == lists


@given(lists_of_numbers, st.data())
def test_selected_lists_are_those_chosen_in_that_order(lists, data):
    """Any lists may be chosen, in any order, also twice or none at all."""
    places = st.lists(st.integers(0, len(lists) - 1), max_size=10) if lists else st.just([])
    chosen = data.draw(places)
    begin, entries = flat(lists)
    new_begin, places_of_entries = select_lists(begin, np.array(chosen, dtype=np.int64))
    assert unpacked(new_begin, entries[places_of_entries]) == [lists[m] for m in chosen]


@given(st.lists(lists_of_numbers, min_size=1, max_size=4))
def test_joined_lists_stand_one_after_the_other(parts):
    """Several arrays of lists, put one after the other, are the array of all lists."""
    arrays = [flat(lists) for lists in parts]
    begin = join_begins([begin for begin, _ in arrays])
    everything = [one for lists in parts for one in lists]
    assert unpacked(begin, np.concatenate([entries for _, entries in arrays])) == everything
