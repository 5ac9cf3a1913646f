"""What the paper does not ask."""

from __future__ import annotations

import numpy as np

from ...statistics import SAME
from ..report import Section
from . import other_tables as tables
from . import pictures
from .experiments import NOISE, NOISY
from .published import ORDERS, TABLE
from .summary import Results, Runs, signed


def findings(results: Results) -> list[Section]:
    """Why an order matters little, whether other orders do better, wrong labels, and gamma without training."""
    return [_why(results), _other_orders(results), _noise(results), _gamma(results)]


def _why(results: Results) -> Section:
    return Section(
        "Yu et al.: why an order of the classes matters little",
        [
            "If one class wins all its pairs on a sample, no order can miss it, because it never loses. So orders differ only "
            "on the other samples. These set a floor and a ceiling that hold for every order.",
            tables.champions(results),
        ],
    )


def _other_orders(results: Results) -> Section:
    return Section(
        "Yu et al.: other measures of separation",
        [
            tables.orders(results, "Yu et al., orders by other measures of separation", tables.OTHERS),
            _opposite(results),
            _rescued(results),
        ],
    )


def _opposite(results: Results) -> str:
    """What the least separable first does on the official split of Vowel, and on others."""
    gains = [
        float((runs.other("least") - runs.adaptive).mean()) for runs in (results.table2["vowel"], results.speakers)
    ]
    if (gains[0] > 0) == (gains[1] > 0):
        return "The opposite rule, the least separable classes first, does the same on both kinds of splits of Vowel."
    better, worse = ("official split", "drawn speakers") if gains[0] > 0 else ("drawn speakers", "official split")
    return (
        f"The opposite rule, the least separable classes first, is ahead of the paper's on Vowel's {better} and behind it on "
        f"its {worse}. One split says little about orders."
    )


def _rescued(results: Results) -> str:
    named = [results.table2["vowel"], *(runs for runs in results.drawn.values() if runs.orders_matter)]

    def always(name: str, runs: Runs) -> bool:
        return bool((runs.other(name) >= runs.best - SAME).all())

    whole = [words for name, words in tables.OTHERS.items() if all(always(name, runs) for runs in named)]
    return f"As good as the best of {ORDERS} random orders in every split is {'; '.join(whole) or 'none of them'}."


def _noise(results: Results) -> Section:
    cases = [results.noise(data, share) for data in NOISY for share in NOISE]
    clean = float(np.mean([results.tuning[data]["protocol"].of("champions").mean() for data in NOISY]))
    open_to = float(np.mean([runs.of("champions").mean() for runs in cases]))
    gain = [float(runs.gain.mean()) for runs in cases]
    return Section(
        "Yu et al.: wrong labels leave more for an order to decide",
        [
            "Labels of a share of the training samples are drawn anew among the other classes. Then fewer samples have a class "
            f"that wins all its pairs ({open_to:.1f} % on average, {clean:.1f} % on the same splits without noise), and a good "
            "order could show.",
            tables.noise(results, NOISY, NOISE),
            f"The adaptive order is above the mean of the random ones in {sum(g > 0 for g in gain)} of {len(gain)} rows, and "
            f"as good as the best in every split in {sum(runs.at_least_best == len(runs) for runs in cases)}.",
        ],
    )


def _gamma(results: Results) -> Section:
    return Section(
        "Yu et al.: gamma without training",
        [
            "The distance between two classes grows with gamma and falls again. The paper takes gamma at the maximum and never "
            "compares this with cross-validation.",
            tables.validated(results),
            _far_off(results),
            _vowel(results),
            pictures.curve(results),
        ],
    )


def _far_off(results: Results) -> str:
    """Where gamma by distance does worst, and which gammas are chosen there."""
    behind = {
        data: float((ways["protocol"].adaptive - ways["shared_by_cv"].adaptive).mean())
        for data, ways in results.tuning.items()
    }
    data = min(behind, key=lambda name: behind[name])
    gammas = {
        way: np.mean([split["log2_gamma"] for split in results.tuning[data][way].splits])
        for way in ("protocol", "shared_by_cv", "all_by_cv")
    }
    return (
        f"Against one C and gamma for all pairs, gamma by distance does worst on {TABLE[data].label} ({signed(behind[data])} "
        f"points): there the distance is largest at 2^{gammas['protocol']:.1f} (geometric mean over pairs), and validation "
        f"chooses 2^{gammas['shared_by_cv']:.1f} for all and 2^{gammas['all_by_cv']:.1f} pair by pair."
    )


def _vowel(results: Results) -> str:
    ways = {name: float(runs.adaptive.mean()) for name, runs in results.tuning["vowel"].items()}
    by_speaker, mixed = ways["all_by_cv_of_speakers"], ways["all_by_cv"]
    return (
        "Vowel is tested on other speakers than it is trained on, and folds drawn at random have the same speakers on both "
        f"sides. With gamma cross-validated, too, such folds give {mixed:.2f} %, and folds that keep a speaker together "
        f"{by_speaker:.2f} %; with gamma by distance it is {ways['protocol']:.2f} % and {ways['folds_of_speakers']:.2f} %."
    )
