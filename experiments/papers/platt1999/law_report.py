"""The training-time law, as it was found."""

from __future__ import annotations

from functools import partial

from ...tables import Table
from ..report import Picture, Section, Sourced
from .pictures import draw_law
from .published import EXPONENT, NAMES
from .results import WAYS, Results


def law_section(results: Results) -> Section:
    """Exponents by the clock and by counts, and what the law makes of them."""
    clock = list(results.exponents().values())
    steps = list(results.exponents("steps").values())
    return Section(
        "The law of training time",
        [
            "Section 4 of the paper takes the time of one machine as T = c mᵍ with g about 2, so that N machines on all "
            "samples take c N mᵍ, and all pairs c N(N−1)/2 (2m/N)ᵍ. Both ways were trained on growing parts of each set, with "
            "the σ and C of DAGSVM, by one thread. Beside CPU seconds stand counts that no clock can blur: steps of the "
            "solver, gradient entries updated (steps times samples of the machine) and kernel values computed.",
            Picture(
                "law",
                "Training time against the number of samples, with fitted power laws.",
                partial(draw_law, results=results),
                (10.0, 4.2),
            ),
            Sourced(_exponents(results), "steps `law/...` and `law-libsvm/...`"),
            f"By our clock the exponents are {min(clock):.2f} to {max(clock):.2f}, {_side(clock)} {EXPONENT}. The number of "
            f"solver steps grows with exponents of {min(steps):.2f} to {max(steps):.2f}, and every step costs time in "
            "proportion to the samples of its machine: an exponent of 2 needs steps in proportion to samples. LIBSVM, a "
            "decomposition method without sharing between machines, is timed beside it.",
            Sourced(_ratios(results), "steps `law/...` and `law-libsvm/...`"),
            "The law, with the exponent fitted to 1-v-r, foretells T(1-v-r) / T(1-v-1). Measured over foretold is "
            f"{_off(results, 'cpu_seconds')} in CPU seconds, and {_off(results, 'gradient_updates')} in gradient entries.",
        ],
    )


def _side(exponents: list[float]) -> str:
    if max(exponents) < EXPONENT:
        return "all below"
    return "all above" if min(exponents) > EXPONENT else "on both sides of"


def _exponents(results: Results) -> Table:
    head = [
        "",
        "samples",
        "machines",
        "CPU seconds",
        "R²",
        "steps",
        "gradient entries",
        "kernel values",
        "LIBSVM seconds",
    ]
    rows = []
    for data, name in NAMES.items():
        sizes = [point["rows"] for point in results.found[f"law/{data}"]["points"]]
        for way in WAYS:
            law = results.law(data, way)
            others = (results.law(data, way, what) for what in ("steps", "gradient_updates", "kernel_values"))
            libsvm = results.libsvm_law(data, "one_machine" if way == "1-v-r" else way)
            cells = [name, f"{sizes[0]} to {sizes[-1]}", way, f"{law.exponent:.2f}", f"{law.r2:.3f}"]
            rows.append([*cells, *(f"{other.exponent:.2f}" for other in others), f"{libsvm.exponent:.2f}"])
    return Table("Exponents g of growth with the number of samples", head, rows)


def _off(results: Results, what: str) -> str:
    ratios = {name: results.measured_ratio(d, what) / results.predicted_ratio(d, what) for d, name in NAMES.items()}
    return ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())


def _ratios(results: Results) -> Table:
    head = ["", "classes", "CPU seconds, 1-v-r / 1-v-1, foretold", "measured", "gradient entries, foretold", "measured"]
    head += ["CPU seconds, all pairs / one 1-v-r machine", "the same, LIBSVM"]
    rows = []
    for data, name in NAMES.items():
        row = [name, f"{results.found[f'law/{data}']['classes']}"]
        for what in ("cpu_seconds", "gradient_updates"):
            row += [f"{results.predicted_ratio(data, what):.1f}", f"{results.measured_ratio(data, what):.1f}"]
        row += [f"{results.in_single_machines(data):.1f}", f"{results.libsvm_in_single_machines(data):.1f}"]
        rows.append(row)
    return Table("One-vs-one against 1-v-r, on the largest part", head, rows)
