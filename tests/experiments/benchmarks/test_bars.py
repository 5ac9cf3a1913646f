"""The stored results as bars: every ratio, mean and worst is that of the records."""

from statistics import geometric_mean

import pytest

from experiments import __main__ as cli
from experiments.benchmarks.bars import draw, groups, headlines
from experiments.benchmarks.command import RESULTS
from experiments.records import read_json


@pytest.fixture(scope="module")
def records():
    """The results that are stored in the repository."""
    return read_json(RESULTS / "bench.json"), read_json(RESULTS / "census.json")


def test_headlines_are_the_ratios_of_the_record(records):
    """Fit and the default structure's predict, for every set."""
    bench, _ = records
    bars = headlines(bench)
    assert len(bars) == 2 * len(bench["sets"])
    for k, result in enumerate(bench["sets"].values()):
        ratios = {line["what"]: line["ratio"] for line in result["ratios"]}
        assert [bar.ratio for bar in bars[2 * k : 2 * k + 2]] == [ratios["fit"], ratios["max_wins"]]
        assert [bar.what for bar in bars[2 * k : 2 * k + 2]] == ["fit", "predict"]


def test_groups_have_their_mean_and_worst(records):
    """Of all runs of the census, each in one group."""
    _, census = records
    bars = groups(census)
    runs = [int(bar.of.split("(")[1].split(" ")[0]) for bar in bars if bar.what == "fit"]
    assert sum(runs) == len(census["sets"])
    fits = [next(line["ratio"] for line in r["ratios"] if line["what"] == "fit") for r in census["sets"].values()]
    assert min(bar.worst for bar in bars if bar.what == "fit") == min(fits)
    of_fit = [bar.ratio for bar in bars if bar.what == "fit"]
    weighted = geometric_mean([mean for mean, n in zip(of_fit, runs, strict=True) for _ in range(n)])
    assert weighted == pytest.approx(geometric_mean(fits))


def test_the_bars_are_drawn(records):
    """Bars go from 1 to their ratios on one logarithmic scale; numbers are beside them, and the line at 1 has its name."""
    pytest.importorskip("matplotlib")
    figure = draw(*records)
    left, right = figure.axes
    for ax, bars in ((left, headlines(records[0])), (right, groups(records[1]))):
        for container, what in zip(ax.containers, ("fit", "predict"), strict=True):
            assert all(bar.get_x() == 1 for bar in container)  # the best peer
            ends = [bar.get_x() + bar.get_width() for bar in container]
            assert ends == pytest.approx([bar.ratio for bar in bars if bar.what == what])
        texts = [text.get_text() for text in ax.texts]
        assert all(any(text.startswith(f"{bar.ratio:.1f} ×") for text in texts) for bar in bars)
        assert ax.get_xscale() == "log"
        assert ax.get_xticklabels()[0].get_text() == "1\nas fast"
        figure.draw_without_rendering()
        assert all(text.get_window_extent().x1 <= figure.bbox.x1 for text in ax.texts)
    assert left.get_xlim() == right.get_xlim()
    legend = left.get_legend().get_window_extent()
    assert not any(legend.overlaps(text.get_window_extent()) for text in left.texts)


def test_the_command_writes_a_small_picture(tmp_path, capsys):
    """`python -m experiments bench bars`; without records it says what to run."""
    pytest.importorskip("matplotlib")
    picture = tmp_path / "docs" / "bars.png"
    assert cli.main(["bench", "bars", "--picture", str(picture)]) == 0
    assert 0 < picture.stat().st_size < 150_000
    assert cli.main(["bench", "bars", "--results", str(tmp_path), "--picture", str(picture)]) == 2
    assert "make bench-census" in capsys.readouterr().err
