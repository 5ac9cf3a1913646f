"""The protocol of the paper, step by step."""

from __future__ import annotations

from collections.abc import Mapping

from ..report import Report
from ..study import Found, Settings, Step, Study
from .experiments import NOISE, NOISY, compare, cost, curve, equations, noisy, tune, tuning_loop
from .published import TABLE
from .report import report

# About how many seconds the protocol takes on one split.
SECONDS = {"iris": 0.15, "wine": 0.15, "glass": 0.25, "vowel": 0.5, "vehicle": 0.3, "segment": 0.6}
WAYS = ["protocol", "smallest_C", "gamma_of_powers", "one_gamma", "all_by_cv", "shared_by_cv", "largest_C", "C_1"]
WAYS += ["gamma_of_equation_6", "gamma_of_equation_9", "gamma_of_fisher"]
OF_VOWEL = ["folds_in_order", "folds_of_speakers", "all_by_cv_of_speakers"]


class Yu2011(Study):
    """The adaptive order against 20 random ones, on six data sets; and whether gamma may be chosen without training."""

    name = "yu2011"
    title = "An improved directed acyclic graph support vector machine"
    reference = (
        "M. Yu, A. Rhuma, S. M. Naqvi, J. Chambers, Journal of Measurement Science and Instrumentation, 2011(4), 367–370, "
        "doi:10.3969/j.issn.1674-8042.2011.04.014."
    )

    def steps(self, settings: Settings) -> list[Step]:
        """Table 2, checks of its splits, other ways to tune, noise, costs and times, equations, and a curve over gamma."""
        many, some, few = (2, 1, 1) if settings.quick else (50, 20, 8)
        steps = []
        for data in TABLE:
            protocol = {"data": data, "n_splits": many, "others": True}
            steps.append(Step(f"table2/{data}", compare, protocol, SECONDS[data] * many))
        speakers = {"data": "vowel", "n_splits": many, "how": "speakers", "others": True}
        steps.append(Step("checks/speakers", compare, speakers, SECONDS["vowel"] * many))
        for data in TABLE:
            if data != "vowel":
                random = {"data": data, "n_splits": some, "how": "random"}
                steps.append(Step(f"checks/random/{data}", compare, random, SECONDS[data] * some))
        for data in TABLE:
            ways = [*WAYS, *OF_VOWEL] if data == "vowel" else WAYS
            steps.append(
                Step(f"tuning/{data}", tune, {"data": data, "n_splits": few, "ways": ways}, 12 * SECONDS[data] * few)
            )
        compared = {"data": "vowel", "n_splits": few, "ways": ["protocol", "all_by_cv"], "how": "speakers"}
        steps.append(Step("checks/tuning/speakers", tune, compared, 5 * SECONDS["vowel"] * few))
        for data in NOISY:
            for share in NOISE:
                noise = {"data": data, "n_splits": few, "share": share}
                steps.append(Step(f"noise/{data}/{share:g}", noisy, noise, 2 * SECONDS[data] * few))
        timed = {"n_rows": 400, "n_looped": 20} if settings.quick else {"n_rows": 4000, "n_looped": 400}
        steps += [Step(f"cost/{data}", cost, {"data": data, **timed}, 5 * SECONDS[data]) for data in TABLE]
        n_pairs = 1 if settings.quick else 3
        steps += [
            Step(f"loop/{data}", tuning_loop, {"data": data, "n_pairs": n_pairs}, 1.7 * n_pairs) for data in TABLE
        ]
        steps += [Step(f"equations/{data}", equations, {"data": data}, SECONDS[data]) for data in TABLE]
        return [*steps, Step("curve/vowel", curve, {"data": "vowel"}, 5.0)]

    def report(self, settings: Settings, found: Mapping[str, Found]) -> Report:
        """Table 2 again, the claims, and why the orders hardly differ."""
        return report(self, settings, found)
