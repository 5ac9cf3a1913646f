"""The results as arrays."""

import numpy as np
from comparisons import SCHEMES, content, cube

from experiments.compare.cube import Cube


def test_generated_sets_do_not_count_and_related_ones_count_once():
    """Banana is generated; the two MNISTs are one, with the mean of their accuracies."""
    accuracy = {"mnist": 90.0, "mnist7x7": 80.0}
    matrix = cube(lambda name, number, scheme: accuracy.get(name, 70.0)).means(SCHEMES)
    assert len(matrix.sets) == 6
    counted = matrix.counted()
    assert counted.sets == ("iris", "wine", "glass", "mnist")
    assert counted.column("ddag").tolist() == [70.0, 70.0, 70.0, 85.0]


def test_only_splits_that_all_schemes_have_are_compared():
    """A scheme that lacks a split does not gain from its absence."""
    told = content(lambda name, number, scheme: 10.0 * number, sets=("iris", "wine"), splits=3)
    del told["steps"]["iris/2/ddag"]
    told["steps"]["iris/1/ddag"] = {"error": "ValueError: no", "run": 0}
    for number in range(3):
        del told["steps"][f"wine/{number}/forest"]
    made = Cube.of(told)
    assert made.common(["max_wins", "ddag"]) == {"iris": [0], "wine": [0, 1, 2]}
    assert made.means(["max_wins"]).column("max_wins").tolist() == [10.0, 10.0]
    assert made.means(["max_wins", "ddag"]).column("max_wins").tolist() == [0.0, 10.0]
    assert made.means(["max_wins", "forest"]).sets == ("iris",)


def test_halves_share_no_split():
    """Every second split; a single split has no halves."""
    first, second = cube(splits=5).halves
    assert first.splits == (0, 2, 4)
    assert second.splits == (1, 3)
    assert cube(splits=1).halves is None


def test_logarithms_are_averaged():
    """The mean of logarithms, for times."""
    told = content(sets=("iris",), schemes=("ddag",), splits=2)
    told["steps"]["iris/0/ddag"]["seconds"], told["steps"]["iris/1/ddag"]["seconds"] = 1.0, 100.0
    np.testing.assert_allclose(np.exp(Cube.of(told).means(["ddag"], "seconds", logarithm=True).values), [[10.0]])


def test_reference_is_max_wins_or_the_first():
    """Comparisons without max_wins are possible."""
    assert cube().reference == "max_wins"
    assert cube(schemes=("forest", "ddag")).reference == "forest"


def test_names_of_sets_may_have_slashes():
    """A key is read from its end."""
    assert cube(sets=("a/b",)).means(["ddag"]).sets == ("a/b",)


def test_configuration_says_what_counts():
    """Sets that are called generated or related in the file of results."""
    told = {**content(), "generated": ["iris"], "related": [["wine", "glass"]]}
    assert Cube.of(told).means(SCHEMES).counted().sets == ("wine, glass", "mnist")
