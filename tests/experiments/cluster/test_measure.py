"""The model against a cluster of this process."""

import numpy as np
import pytest
from distributed import Client, LocalCluster

import dagmar
from experiments.cluster.measure import clouds, measure


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
