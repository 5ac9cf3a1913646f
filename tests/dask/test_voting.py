"""Votes are counted block by block; together they are those of all pairs."""

import numpy as np
import pandas as pd
import pytest

import dagmar
from dagmar.dask import train_sharded, voting
from dagmar.dask.voting import add_votes, check_block, count_votes, elected_labels


@pytest.mark.parametrize("at_once", [1, 2**22])
def test_votes_of_all_blocks_are_those_of_the_pairs(client, ten_classes, tmp_path, monkeypatch, at_once):
    """However many values are computed at a time; the winner is the label that the model in memory predicts."""
    monkeypatch.setattr(voting, "VALUES_AT_ONCE", at_once)
    X, y = ten_classes
    model = train_sharded(dagmar.SVC(), X, y, folder=tmp_path, client=client)
    where = str(tmp_path), model._stamp
    rows = check_block(X, *where)
    votes = add_votes(*(count_votes(rows, *where, a) for a in range(model.n_blocks)))
    local = model.to_svc()
    i, j = local.bank_.pairs.T
    later = local.pair_decisions(X) >= 0
    expected = np.stack([(later & (j == c)).sum(axis=1) + (~later & (i == c)).sum(axis=1) for c in range(10)], axis=1)
    np.testing.assert_array_equal(votes, expected)
    np.testing.assert_array_equal(elected_labels(X, votes, *where), local.predict(X))
    frame = pd.DataFrame(X, index=np.arange(len(X))[::-1])
    series = elected_labels(frame, votes, *where)
    assert series.index.equals(frame.index)
    assert series.tolist() == local.predict(X).tolist()


def test_blocks_may_be_empty(client, ten_classes, tmp_path):
    """A partition of a data frame may have no rows."""
    model = train_sharded(dagmar.SVC(), *ten_classes, folder=tmp_path, client=client)
    where = str(tmp_path), model._stamp
    empty = check_block(ten_classes[0][:0], *where)
    assert empty.shape == (0, 4)
    assert count_votes(empty, *where, 0).shape == (0, 10)
