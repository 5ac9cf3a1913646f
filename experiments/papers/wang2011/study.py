"""The steps of this study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..report import Report
from ..study import Found, Settings, Step, Study
from . import checks, counts, experiments, grown
from .published import SETS

BETWEEN = (3, 5, 7, 9)  # neighbours of Figure 1; Table 2 has both ends, 1 as the plain Fisher tree and 11 as BTPPSVM
ALL = tuple(range(1, 12))
SEARCH_ROWS = 7500  # all of Optdigits and Pendigits
FEWER_SEARCH_ROWS = 5000  # where many searches on soft labels are made
WRONG = (0.0, 0.05, 0.1, 0.2)
LANDSCAPE = {
    "letter": ([2.0, 4.0], ["OAO", "c-BTS", "Fisher tree, plain"]),
    "optdigits": ([1 / 64, 1 / 16, 1 / 8, 1 / 4], ["OAO", "OAA"]),
    "pendigits": ([1 / 4, 1.0, 2.0, 4.0, 8.0], ["OAO", "OAA"]),
}
DELTAS = (0.0, 0.01, 0.05, 0.1, 0.2)  # of Fei and Liu's reassignment
TABLE_SECONDS = {"letter": 5.0, "optdigits": 0.5, "pendigits": 1.0, "mnist7x7": 15.0}
SEARCH_SECONDS = {"letter": 10.0, "optdigits": 2.0, "pendigits": 4.0, "mnist7x7": 6.0}
COUNT_SECONDS = {"letter": 6.0, "optdigits": 0.5, "pendigits": 1.0, "mnist7x7": 30.0}


class Wang2011(Study):
    """Tables 2 to 5 and Figure 1, and what becomes of soft labels and Fisher trees under other readings."""

    name = "wang2011"
    title = "Binary tree of posterior probability support vector machines"
    reference = (
        "D. Wang, J. Zheng, Y. Zhou, *Binary tree of posterior probability support vector machines*, Journal of Zhejiang "
        "University Science C 12 (2011), doi:10.1631/jzus.C1000022."
    )

    def steps(self, settings: Settings) -> list[Step]:
        """All steps, each after those whose results it uses."""
        *small, largest = SETS
        return [
            *(step for data in small for step in self._tables(data)),
            *self._figure(settings.quick),
            *self._checks(settings.quick),
            *self._tables(largest),  # the longest steps, which no other waits for
        ]

    def _tables(self, data: str) -> list[Step]:
        steps = []
        for method in experiments.CHOSEN:
            parameters: dict[str, Any] = {"data": data, "method": method, "rows": SEARCH_ROWS}
            steps.append(Step(f"choice/{data}/{method}", experiments.choose, parameters, SEARCH_SECONDS[data]))
        for method in experiments.METHODS:
            parameters = {"data": data, "method": method}
            steps.append(Step(f"tables/{data}/{method}", experiments.tabled, parameters, TABLE_SECONDS[data]))
        for method in ("PPSVM OAO", "PPSVM OAA"):
            parameters = {"data": data, "method": method}
            steps.append(Step(f"hard/{data}/{method}", checks.hard_instead, parameters, TABLE_SECONDS[data]))
        return [*steps, *self._counts(data)]

    def _counts(self, data: str) -> list[Step]:
        """Vectors at several tolerances, of the methods of Table 3 and of hard labels with the C and gamma of soft ones."""
        steps = []
        large = data == "mnist7x7"
        for choice in experiments.CHOSEN:
            structure, soft, _ = experiments.METHODS[choice]
            rest = structure == counts.REST
            parameters: dict[str, Any] = {
                "data": data,
                "structure": structure,
                "soft": soft,
                "choice": choice,
                "tolerances": list(counts.TOLERANCES[:2] if large and rest else counts.TOLERANCES),
                "trees": True,
            }
            steps.append(Step(f"counts/{data}/{choice}", counts.counted, parameters, COUNT_SECONDS[data]))
            if soft and not (large and rest):  # that one would take minutes
                parameters = {**parameters, "soft": False, "trees": False}
                steps.append(Step(f"counts/{data}/hard {choice}", counts.counted, parameters, COUNT_SECONDS[data]))
        return steps

    def _figure(self, quick: bool) -> list[Step]:
        fixed = {"data": "letter", "ks": [1, 3, 11] if quick else list(ALL)}
        steps = [Step("figure1/same C and gamma", experiments.neighbourhoods, fixed, 20.0)]
        for data in SETS:
            if data == "mnist7x7":  # its ends only, which cost nothing
                continue
            for k in BETWEEN[:1] if quick else BETWEEN:
                parameters = {"data": data, "k": k, "rows": SEARCH_ROWS}
                steps.append(
                    Step(
                        f"figure1/{data}/{k}", experiments.neighbourhood_chosen, parameters, 1.5 * SEARCH_SECONDS[data]
                    )
                )
        return steps

    def _checks(self, quick: bool) -> list[Step]:
        few = [1, 3, 11]
        readings = [
            Step(f"readings/{name}", checks.reading, {"data": "letter", "name": name, "rows": FEWER_SEARCH_ROWS}, 15.0)
            for name in checks.READINGS
        ]
        trees = [
            Step(f"trees/{data}/{tree}", experiments.trees, {"data": data, "tree": tree}, 5.0)
            for data in ("letter", "optdigits", "pendigits")
            for tree in ("fisher_tree", "centered_tree")
        ]
        trees += [
            Step(f"ratios/{data}/{method}", grown.ratios, {"data": data, "method": method}, 4.0)
            for data in ("letter", "optdigits", "pendigits")
            for method in ("OAO", "PPSVM OAO")
        ]
        trees += [
            Step(
                f"reassignment/{data}/{threshold:g}",
                grown.reassigned,
                {"data": data, "threshold": threshold, "deltas": list(DELTAS)},
                1.0,
            )
            for data in ("letter", "optdigits", "pendigits")
            for threshold in (0.0, 0.05)
        ]
        wrong = [
            Step(
                f"noise/{data}/{share:g}",
                checks.noise,
                {"data": data, "share": share, "Cs": [1.0, 10.0, 100.0], "ks": few, "rows": SEARCH_ROWS},
                seconds,
            )
            for data, seconds in (("optdigits", 3.0), ("pendigits", 7.0))
            for share in ((0.0, 0.2) if quick else WRONG)
        ]
        landscapes = [
            Step(
                f"landscape/{data}/{method}",
                checks.landscape,
                {
                    "data": data,
                    "structure": experiments.METHODS[method][0],
                    "gammas": gammas[::2] if quick else gammas,
                    "Cs": [1.0, 16.0],
                    "rows": SETS[data][2],
                },
                3.0,
            )
            for data, (gammas, methods) in LANDSCAPE.items()
            for method in methods
        ]
        sizes = [300, 1200] if quick else [1000, 2000, 4000, 8000, 15000]
        return [
            *readings,
            Step("flipped", checks.flipped_share, {"data": "letter", "ks": few}, 5.0),
            Step("fewer rows", checks.fewer_rows, {"data": "letter", "sizes": sizes, "ks": few}, 8.0),
            Step("standardised", checks.standardised, {"data": "letter", "ks": few}, 8.0),
            *trees,
            *wrong,
            *landscapes,
            Step("best case", checks.best_case, {}, 0.1),
        ]

    def report(self, settings: Settings, found: Mapping[str, Found]) -> Report:
        """What was found, beside what was published."""
        from .report import report

        return report(self, found)
