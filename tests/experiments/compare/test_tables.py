"""The tables of a comparison."""

import csv
import io

from comparisons import SCHEMES, content, cube, found

from experiments.compare.cube import Cube
from experiments.compare.scheme import Kind
from experiments.compare.tables import accuracies, all_tables, comma_separated, differences, latex, sets, summary
from experiments.tables import Table


def test_summary_is_in_the_order_of_ranks():
    """The reference has no tests against itself."""
    table = summary(cube())
    assert [row[0] for row in table.rows] == [f"`{scheme}`" for scheme in SCHEMES]
    assert table.rows[0][1:6] == ["1.00", "90.15", "–", "–", "–"]
    assert table.rows[1][3:5] == ["0 : 4", "0 : 6"]
    assert "4 sets" in table.title


def test_set_that_a_scheme_lacks_has_a_dash():
    """Numbers of other schemes are still there."""
    told = content(sets=("iris", "wine"))
    for number in range(4):
        del told["steps"][f"wine/{number}/forest"]
    table = accuracies(Cube.of(told))
    assert table.rows[1][0] == "wine"
    assert table.rows[1][1 + SCHEMES.index("forest")] == "–"
    assert table.rows[0][1] == "90.15 ± 0.11"
    assert differences(Cube.of(told), Kind.INSTEAD).rows[1][1] == "–"


def test_differences_have_intervals_and_stars():
    """Equal differences in all splits are significant."""
    table = differences(cube(), Kind.STRUCTURE)
    assert table.head == ["set", "ddag"]
    assert table.rows[0][1] == "-1.00 [-1.00, -1.00]*"


def test_table_of_sets_says_how_they_count():
    """With the reason."""
    counts = {row[0]: row[-1] for row in sets(cube()).rows}
    assert counts["iris"] == "by itself"
    assert counts["banana"].startswith("not: ")
    assert counts["mnist"].startswith("as one of “mnist”: ")


def test_latex_is_escaped():
    """Underscores and percent signs; rules of booktabs."""
    text = latex(Table("A title", ["scheme", "%"], [["`max_wins`", "1 ± 2"]]))
    assert r"max\_wins & 1 $\pm$ 2 \\" in text
    assert r"scheme & \% \\" in text
    assert text.count(r"\midrule") == 1
    for table in all_tables(cube()):
        assert latex(table).count(r"\\") == 1 + len(table.rows)


def test_csv_has_every_step():
    """One line each, also of a step that failed."""
    told = content(sets=("iris",), schemes=("ddag",), splits=1)
    told["steps"]["iris/1/ddag"] = {"error": "ValueError: a, b", "run": 0}
    lines = list(csv.DictReader(io.StringIO(comma_separated(told))))
    assert [line["split"] for line in lines] == ["0", "1"]
    assert float(lines[0]["accuracy"]) == found(90.0)["accuracy"]
    assert lines[0]["parameters"] == "C=4.0"
    assert lines[1]["error"] == "ValueError: a, b"
