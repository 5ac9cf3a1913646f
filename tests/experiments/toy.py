"""A study of nothing, with three steps, for tests of the frame; and small data sets under the names of real ones."""

from typing import ClassVar

import pytest

from experiments.data import DataSets
from experiments.papers.printed import Printed
from experiments.papers.report import Claim, ErrorRate, Kind, Omission, Report, Section, Sourced
from experiments.papers.rule import decided
from experiments.papers.run import run
from experiments.papers.study import Step, Study
from experiments.pictures import Picture
from experiments.tables import Table


def small_sets(folder):
    """The data sets of a folder, which need not have the shapes of the real ones."""
    return DataSets(folder, catalogue={})


def run_quickly(study, data, settings, folder):
    """Run a study without writing its record after every step, which takes a good part of the time of small steps."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("experiments.papers.record.write_json", lambda content, file: None)
        return run(study, data, settings, folder, 1)


class ToyStudy(Study):
    """Counts how often its steps are run, and stops at a given step."""

    name: ClassVar[str] = "toy"
    title: ClassVar[str] = "A toy"
    reference: ClassVar[str] = "Nobody, nowhere."

    def __init__(self, stop_at=None, factor=2, read_again=False):
        self.ran = []
        self.stop_at = stop_at
        self.factor = factor
        self.read_again = read_again

    def steps(self, settings):
        """A draw, its double, and a search that only --search asks for."""
        steps = [Step("draw", self.draw), Step("double", self.double, {"factor": self.factor}, weight=3.0)]
        return [*steps, Step("search", self.draw)] if settings.search else steps

    def draw(self, lab):
        """A random number."""
        self._stop("draw")
        lab.data.load("tiny")
        return {"number": float(lab.rng("draw").random()), "rows": len(lab.data.load("tiny").rows[1])}

    def double(self, lab, factor):
        """Needs the step before."""
        self._stop("double")
        if self.read_again:
            lab.data.load("tiny")
        return {"number": factor * lab.found["draw"]["number"], "pair": (1, 2)}

    def _stop(self, key):
        if key == self.stop_at:
            raise KeyboardInterrupt
        self.ran.append(key)

    def report(self, settings, found):
        """One of everything."""
        number = found["double"]["number"]
        published = Printed("1.0", "/toy/tables/table1/x")
        table = Table("Numbers", ["", "published", "measured"], [["x", published, f"{number:.3f}"]])
        picture = Picture("line", "A line.", lambda figure: figure.add_subplot().plot([0, number]))
        return Report(
            self.name,
            self.title,
            self.reference,
            [Section("Numbers", ["Some words.", Sourced(table, "steps `double`"), picture])],
            [Claim("It doubles.", decided(number > found["draw"]["number"]), f"{number:.3f}", "Doubles", "Section 1")],
            [
                ErrorRate("tiny", "guess", 2.0, 2.4),
                ErrorRate("tiny", "hope", 2.0, 3.0),
                ErrorRate("tiny", "dream", 2.0, None),
                ErrorRate("made", "guess", 2.0, 2.0, Kind.GENERATED),
            ],
            finding="it doubled",
            outcome="It doubled.",
            protocol=["Draw, then double."],
            omissions=[Omission("halves", Printed("0.50", "/toy/in_text/half"), "nobody asks")],
            own_claims=[Claim("It is positive.", decided(number > 0), f"{number:.3f}", "Positive")],
            findings=[Section("Signs", [Sourced(Table("Signs", ["", "sign"], [["x", "+"]]), "steps `double`")])],
            readings=[Section("Other numbers", ["None."])],
        )
