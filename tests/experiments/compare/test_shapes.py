"""Kinds of data."""

from comparisons import content, cube

from experiments.compare.cube import Cube
from experiments.compare.shapes import SHAPES, rivals_of, shape_table


def test_shapes_cover_the_sets():
    """Every kind of data has sets of which it holds and others."""
    small = {"rows": 100, "features": 100, "classes": 2, "two_valued": 1.0, "largest_class": 0.6}
    large = {"rows": 2000, "features": 4, "classes": 26, "two_valued": 0.0, "largest_class": 0.1}
    for shape, holds in SHAPES.items():
        assert holds(small) != holds(large), shape


def test_table_has_rank_accuracy_and_time():
    """Of the reference and of what people would use instead, for kinds with two sets that count."""
    told = content()
    told["sets"]["iris"]["classes"] = 26
    table = shape_table(Cube.of(told))
    assert table.head[3:] == ["`max_wins`", "`forest`", "`neighbours`"]
    assert [row[0] for row in table.rows] == ["all sets that count", "fewer than 500 rows", "at most 16 features"]
    assert table.rows[0][1:4] == ["4", "`max_wins`", "1.00, 90.15 %, 1 s"]
    assert table.rows[0][4] == "2.00, 88.15 %, 3 s"


def test_kind_on_which_halves_disagree_has_no_best():
    """As in the sentences."""
    made = cube(lambda name, number, scheme: 90.0 + (1 if (scheme == "forest") == (number % 2 == 0) else 0))
    assert {row[2] for row in shape_table(made).rows} == {"cannot be decided"}


def test_reference_is_no_rival_of_itself():
    """A comparison without an SVM has each scheme once."""
    assert rivals_of(cube(schemes=("forest", "neighbours"))) == ("forest", "neighbours")
