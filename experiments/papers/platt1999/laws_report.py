"""Training times as they were found: of Table 1, over samples, and over classes."""

from __future__ import annotations

from functools import partial

from ...pictures import Picture
from ...tables import Table
from ..printed import Printed
from ..report import Section, Sourced
from .pictures import draw_classes, draw_law
from .published import DAGSVM, EXPONENT, NAMES, SINGLE_MACHINES, TABLE1, pointer
from .results import BANK, LIBSVM, LOOP, WAYS, Results, published_ratio
from .spans import Span


def times_section(results: Results) -> Section:
    """The nine training times, as ratios."""
    head = ["", "rule", "CPU seconds, published", "over DAGSVM, published", "a loop", "one bank", "a loop by LIBSVM"]
    rows = []
    for data, name in NAMES.items():
        for rule, row in TABLE1[data].items():
            ratios = (
                results.speedup(data, rule, DAGSVM, how) if rule != DAGSVM else Span(1, 1, 1)
                for how in (LOOP, BANK, LIBSVM)
            )
            seconds = Printed(f"{row.seconds}", pointer(data, rule, "train_cpu_sec"))
            published = f"{published_ratio(data, 'seconds', rule, DAGSVM):.2f}"
            rows.append([name, rule, seconds, published, *(span.words() for span in ratios)])
    base = ", ".join(f"{name} {min(results.laps(data, DAGSVM)):.2f} s" for data, name in NAMES.items())
    return Section(
        "Training times",
        [
            f"Times over that of DAGSVM on the same set, with the range over rounds; a loop for DAGSVM takes {base} here. "
            "Where DAGSVM and Max Wins have the same machines, their times are equal.",
            Sourced(Table("Table 1: training times", head, rows), "steps `loop/...` and `table1/...`"),
        ],
    )


def samples_section(results: Results) -> Section:
    """Exponents over samples, and what the law makes of them."""
    head = ["", "samples", "one machine", "R²", "all pairs", "one machine, LIBSVM", "all pairs, LIBSVM"]
    head += ["1-v-r, one bank", "1-v-1, one bank"]
    rows = []
    for data, name in NAMES.items():
        sizes = [point["rows"] for point in results.found[f"law/{data}"]["points"]]
        one = results.loop_law(data, "one_machine")
        laws = [results.loop_law(data, "1-v-1")]
        laws += [results.loop_law(data, what, "libsvm") for what in ("one_machine", "1-v-1")]
        laws += [results.law(data, way) for way in WAYS]
        cells = [name, f"{sizes[0]} to {sizes[-1]}", f"{one.exponent:.2f}", f"{one.r2:.3f}"]
        rows.append([*cells, *(f"{law.exponent:.2f}" for law in laws)])
    head2 = ["", "classes", "1-v-r / 1-v-1, foretold", "a loop"]
    head2 += [f"all pairs / one 1-v-r machine (published: {SINGLE_MACHINES}), a loop", "LIBSVM", "one bank"]
    rows2 = []
    for data, name in NAMES.items():
        single = [results.single_machines(data, how) for how in (LOOP, LIBSVM, BANK)]
        classes = results.found[f"law/{data}"]["classes"]
        cells = [name, f"{classes}", f"{results.foretold_ratio(data):.1f}", f"{classes / single[0]:.1f}"]
        rows2.append([*cells, *(f"{ratio:.1f}" for ratio in single)])
    return Section(
        "Training time over samples",
        [
            f"Section 4 takes the time of one machine as T = c mᵍ with g about {EXPONENT}, so that N machines on all samples "
            "take c N mᵍ, and all pairs c N(N−1)/2 (2m/N)ᵍ. Machines were trained on growing parts of each set, with the σ and "
            "C of DAGSVM. One machine is the mean of three classes against the rest.",
            Picture(
                "law",
                "CPU time over the number of samples in a loop, with fitted power laws.",
                partial(draw_law, results=results),
                (10.0, 4.2),
            ),
            Sourced(
                Table("Exponents of the number of samples (Section 4)", head, rows),
                "steps `law-loop/...` and `law/...`",
            ),
            "The law foretells T(1-v-r) / T(1-v-1) from the exponent of one machine.",
            Sourced(
                Table("All pairs against 1-v-r, on all training rows (Equations 1 and 2)", head2, rows2),
                "steps `law-loop/...` and `law/...`",
            ),
        ],
    )


def class_section(results: Results) -> Section:
    """Exponents over classes."""
    head = ["", "classes", "rows", "1-v-r, a loop", "one bank", "1-v-1, a loop", "one bank", "parameters of 1-v-1"]
    rows = []
    for data, name in NAMES.items():
        found = results.found[f"classes/{data}"]
        numbers = [point["classes"] for point in found["draws"][0]]
        times = [results.class_exponents(data, way, how).words() for way in WAYS for how in (LOOP, BANK)]
        size = Span.mean(results.size_exponents(data)).words()
        rows.append([name, f"{numbers[0]} to {numbers[-1]}", f"{found['rows']}", *times, size])
    draws = len(results.found["classes/letter"]["draws"])
    return Section(
        "Training time and size over classes",
        [
            "The paper says that the time of 1-v-r grows with N, and that of all pairs, for g = 2, does not. To vary N alone, "
            f"classes were drawn at random ({draws} draws; mean and range), with the same number of rows in all, equally many "
            "of each class. The drawn problems also differ in difficulty. For sizes, each class has all its rows. By "
            "Equation 2 the time of all pairs grows as N²⁻ᵍ, and for small machines g is below 2, as fixed costs count.",
            Picture(
                "classes",
                "CPU time in a loop over the number of classes, for the same number of rows in all.",
                partial(draw_classes, results=results),
                (10.0, 4.2),
            ),
            Sourced(Table("Exponents of the number of classes (Sections 1 and 4)", head, rows), "steps `classes/...`"),
        ],
    )
