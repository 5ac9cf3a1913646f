"""The model against a cluster of this process."""

import numpy as np
import pytest
from distributed import Client, LocalCluster

import dagmar
from experiments.cluster.measure import (
    PAGE,
    RECORD,
    SETS,
    clouds,
    main,
    measure,
    measured_table,
    scale_table,
    with_tables,
)
from experiments.records import read_json


@pytest.mark.parametrize("n_workers", [1, 2])
def test_bytes_are_those_of_the_model(n_workers):
    """Blocks and machines that move are within 30 % of what the model says, and the machines are those of a local fit."""
    X, y = clouds(n_classes=60, per_class=200)
    options = {"protocol": "tcp", "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "threads_per_worker": 1}
    with LocalCluster(n_workers=n_workers, processes=False, **options) as cluster, Client(cluster) as client:
        measured, clf = measure(client, X, y)
    assert 1 / 1.3 < measured.moved / measured.model_moved < 1.3
    assert np.array_equal(clf.bank_.coef, dagmar.SVC().fit(X, y).bank_.coef)
    assert measured.batches > n_workers
    assert measured.busy > 0


def test_the_page_has_the_tables_of_the_record():
    """What is stored is what docs/distributed.md says; tables are replaced as a whole."""
    record, page = read_json(RECORD), PAGE.read_text(encoding="utf-8")
    assert measured_table(record) in page
    assert scale_table(record) in page
    other = {"sets": {"letter": record["sets"]["letter"]}, "scale": record["scale"][:1]}
    changed = with_tables(page, other)
    assert measured_table(other) in changed
    assert "Covertype, 20,000 rows:" not in changed
    assert with_tables(changed, record) == page


def test_stored_tables_are_printed(capsys):
    """Without measuring anything."""
    main(["--print"])
    printed = capsys.readouterr().out
    assert SETS["letter"][0] in printed
    assert "| 1000 | shards on a disk |" in printed
