"""The simulation obeys the laws of clusters."""

import numpy as np
import pytest

from experiments.cluster.costs import Costs, Layout
from experiments.cluster.simulation import simulate, ten_million

FREE = Costs(client_seconds=0.0, scheduler_seconds=0.0, bandwidth=1e30, pace=1e-8)


def test_without_overhead_workers_share_the_work():
    """Twice the workers, half the time; all bytes of results come back."""
    layout = Layout.of(np.full(60, 100), 20, block_bytes=20_000)
    one, four = simulate(layout, 1, FREE), simulate(layout, 4, FREE)
    assert one.seconds == pytest.approx(layout.seconds(FREE), rel=1e-6)
    assert four.seconds == pytest.approx(one.seconds / 4, rel=0.1)
    for outcome in (one, four):
        assert outcome.returned == pytest.approx(layout.result_bytes(FREE), rel=1e-6)
    assert one.moved == pytest.approx(layout.block_bytes.sum())
    assert one.moved <= four.moved <= 4 * one.moved


def test_a_fit_is_never_faster_than_its_longest_pair():
    """With one class far larger than the others, more workers do not help."""
    layout = Layout.of(np.array([5000, 5000, 10, 10]), 20, block_bytes=1.0)
    assert simulate(layout, 50, FREE).seconds >= layout.largest_seconds(FREE)


def test_a_pair_that_overlaps_decides():
    """Classes of equal size, of which two overlap: their pair takes ten times as long as the others, and so does the fit."""
    layout = Layout.of(np.full(4, 1000), 20, block_bytes=1.0)
    pace = np.full(len(layout.tiles()[0]), 1e-9)
    pace[layout.tile_of[3]] = 1e-8
    alike, one_slow = (
        Costs(pace=p, client_seconds=0.0, scheduler_seconds=0.0, bandwidth=1e30) for p in (np.full(10, 1e-9), pace)
    )
    assert layout.largest_seconds(one_slow) == pytest.approx(10 * layout.largest_seconds(alike))
    assert simulate(layout, 6, one_slow).seconds == pytest.approx(10 * simulate(layout, 6, alike).seconds)


def test_the_client_ends_the_growth():
    """With many workers, the time of the client for each batch is what is left."""
    layout = Layout.of(np.full(200, 50), 10, block_bytes=50_000)
    slow = Costs(pace=1e-9, client_seconds=0.1)
    outcome = simulate(layout, 100, slow)
    assert outcome.client_share > 0.5
    assert outcome.busy < 0.5


def test_shards_free_the_client_and_fill_the_disk():
    """Machines that workers write do not pass through the client; a slow disk is then what the workers wait for."""
    layout = Layout.of(np.full(60, 100), 20, block_bytes=20_000)
    narrow = {"pace": 1e-9, "client_seconds": 0.0, "scheduler_seconds": 0.0, "bandwidth": 1e5}
    to_client = simulate(layout, 20, Costs(**narrow))
    sharded = simulate(layout, 20, Costs(**narrow, disk_bandwidth=1e30))
    slow = simulate(layout, 20, Costs(**narrow, disk_bandwidth=1e3))
    assert to_client.client_share > sharded.client_share
    assert sharded.seconds < to_client.seconds
    assert to_client.disk_share == 0.0
    assert slow.disk_share > 0.9
    assert slow.seconds >= layout.result_bytes(Costs(**narrow)) / 1e3


def test_ten_million_rows_are_simulated():
    """Of 10,000 classes there are 50 million pairs in a few thousand tiles; parts of tiles have all of the work and results."""
    layout, fast = ten_million(), Costs(pace=1e-13)
    assert layout.n_pairs == 49_995_000
    assert layout.sizes.sum() == 10_000_000
    assert layout.n_blocks < 150
    waiting = layout.waiting(fast)
    assert waiting.seconds.sum() == pytest.approx(layout.seconds(fast))
    assert waiting.returned.sum() == pytest.approx(layout.result_bytes(fast))
    outcome = simulate(layout, 10, fast)
    assert outcome.returned == pytest.approx(layout.result_bytes(fast))
