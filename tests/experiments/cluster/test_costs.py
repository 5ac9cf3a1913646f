"""The cost model counts what a fit has."""

import numpy as np
import pytest

from dagmar.problem.tasks import all_pairs
from experiments.cluster.costs import Costs, Layout


@pytest.mark.parametrize("block_bytes", [100.0, 3000.0, 1e9])
def test_tiles_are_all_pairs(block_bytes):
    """However classes are divided into blocks, pairs, work and rows are those of all pairs."""
    sizes = np.array([5, 9, 2, 7, 30])
    layout = Layout.of(sizes, 4, block_bytes=block_bytes)
    _, _, pairs, work, rows = layout.tiles()
    together = sizes[all_pairs(5).pairs].sum(axis=1)
    assert pairs.sum() == layout.n_pairs == 10
    assert work.sum() == pytest.approx(4.0 * 36 * (together**2).sum())
    assert rows.sum() == pytest.approx(together.sum())
    alike = Costs(pace=1.0)
    assert layout.largest_seconds(alike) / layout.seconds(alike) == pytest.approx(39**2 / (together**2).sum())
    waiting = layout.waiting(alike)
    assert waiting.seconds.sum() == pytest.approx(work.sum())


def test_bytes_and_seconds():
    """Blocks have the rows with 24 bytes beside each; results and seconds follow from the rates."""
    layout = Layout.of(np.array([10, 20]), 4)
    assert layout.block_bytes.tolist() == [30 * (32 + 24)]
    assert layout.result_bytes(Costs(support_share=0.5)) == 110 + 12 * 0.5 * 30
    assert layout.seconds(Costs(pace=2.0)) == 2.0 * 4 * 900 * 36
