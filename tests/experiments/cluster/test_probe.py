"""The probe measures tiles of every size."""

import numpy as np
from distributed import Client, LocalCluster

from experiments.cluster.costs import Layout
from experiments.cluster.measure import clouds
from experiments.cluster.probe import PROBED, probe, strata_of


def test_strata_cover_all_tiles_once():
    """Every tile with pairs has one stratum; the tile of the largest pair stands for itself."""
    rng = np.random.default_rng(3)
    layout = Layout.of(rng.integers(10, 500, 40), 10, block_bytes=1e4)
    strata = strata_of(layout)
    _, _, pairs, work, _ = layout.tiles()
    assert sorted(np.concatenate([tiles for _, tiles in strata]).tolist()) == np.flatnonzero(pairs > 0).tolist()
    assert len(strata) == PROBED
    assert all(tile in tiles for tile, tiles in strata)
    tile, alone = strata[0]
    assert alone.tolist() == [tile]
    assert work[tile] / pairs[tile] == (work / np.maximum(pairs, 1)).max()


def test_two_classes_are_one_tile():
    """The smallest fit can be probed."""
    assert [(tile, tiles.tolist()) for tile, tiles in strata_of(Layout.of(np.array([9, 9]), 2))] == [(0, [0])]


def test_costs_are_measured_on_the_workers():
    """Every tile has a pace and support vectors, and blocks are released afterwards."""
    X, y = clouds(n_classes=12, per_class=200)
    options = {"protocol": "tcp", "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0", "threads_per_worker": 1}
    with LocalCluster(n_workers=2, processes=False, **options) as cluster, Client(cluster) as client:
        costs = probe(client, X, y)
    assert (np.asarray(costs.pace) > 0).all()
    assert ((np.asarray(costs.support_share) > 0) & (np.asarray(costs.support_share) <= 1)).all()
    assert min(costs.bandwidth, costs.client_seconds, costs.start_seconds) > 0
