"""The verdicts on the page are those that the records give, worked out here a second time, slowly."""

import json
from math import sqrt
from pathlib import Path
from statistics import mean, variance

import pytest
from scipy.stats import t

from experiments.papers import NAMES, study_of
from experiments.papers.don2018.published import ACCURACY
from experiments.papers.rule import Verdict
from experiments.papers.study import Settings

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture(scope="module")
def found():
    """The results of the full runs, by paper."""
    files = {name: DOCS / "reproduction" / f"{name}.json" for name in NAMES}
    if not all(file.exists() for file in files.values()):
        pytest.skip("this copy of the sources came without the records")
    contents = {name: json.loads(file.read_text(encoding="utf-8")) for name, file in files.items()}
    return {name: {key: step["result"] for key, step in c["steps"].items()} for name, c in contents.items()}


@pytest.fixture(scope="module")
def verdicts(found):
    """By paper and claim, as the code judges the records."""
    return {
        name: {c.says: c.verdict for c in study_of(name).report(Settings(0, search=True), found[name]).claims}
        for name in NAMES
    }


def verdict_of(verdicts, paper, words):
    """The verdict of the claim with these words."""
    matching = [verdict for says, verdict in verdicts[paper].items() if words in says]
    assert len(matching) == 1, words
    return matching[0]


def adjusted(p_values):
    """Holm's correction, step by step."""
    done, worst = {}, 0.0
    for place, name in enumerate(sorted(p_values, key=lambda name: p_values[name])):
        worst = max(worst, (len(p_values) - place) * p_values[name])
        done[name] = min(1.0, worst)
    return done


def trials(don, name, share, method):
    """Accuracies of a method over all trials of a set, and rows to train on and to test with."""
    lots = [of for key, of in don.items() if key.startswith(f"trials/{share}/{name}/")]
    return [a for lot in lots for a in lot["methods"][method]["accuracy"]], lots[0]["trained"], lots[0]["tested"]


def corrected_p(don, name, share, method, other="OvsO"):
    """Nadeau and Bengio's test, by its formula."""
    a, n_train, n_test = trials(don, name, share, method)
    b, _, _ = trials(don, name, share, other)
    gaps = [x - y for x, y in zip(a, b, strict=True)]
    if max(gaps) - min(gaps) < 1e-9:
        return 1.0 if abs(gaps[0]) < 1e-9 else 0.0
    statistic = mean(gaps) / sqrt((1 / len(gaps) + n_test / n_train) * variance(gaps))
    return float(2 * t.sf(abs(statistic), len(gaps) - 1))


@pytest.mark.parametrize(
    ("method", "share", "differ"),
    [
        ("accuracy 0.01", 80, []),
        ("accuracy 0.01", 89, []),
        ("accuracy 2", 80, ["letter"]),
        ("BI", 80, ["svmguide4", "letter", "sensorless"]),
    ],
)
def test_which_methods_of_don_differ(found, verdicts, method, share, differ):
    """By the corrected test and Holm over the fourteen sets; the claims say the same."""
    don = found["don2018"]
    p = adjusted({name: corrected_p(don, name, share, method) for name in ACCURACY})
    assert [name for name in ACCURACY if p[name] < 0.05] == differ
    says = {"accuracy 0.01": "DCSVM is as accurate as one-versus-one", "BI": "The built-in method differs from neither"}
    if method in says and share == 80:
        expected = Verdict.NOT_HELD if differ else Verdict.HELD
        assert verdict_of(verdicts, "don2018", says[method]) is expected


def test_figure_10_of_don(found, verdicts):
    """On the printed share: the step of vowel, the straight lines of letter and usps, sensorless on too few rows."""
    curve = found["don2018"]["curve/80/vowel"]["separation"]
    assert (curve[30] - curve[23]) / (curve[50] - curve[0]) >= 0.5  # thetas are tenths of a percent
    assert verdict_of(verdicts, "don2018", "For vowel it is a step") is Verdict.HELD
    for name in ("letter", "usps"):
        y = found["don2018"][f"curve/80/{name}"]["separation"]
        x = [0.1 * i for i in range(len(y))]
        covariance = sum((a - mean(x)) * (b - mean(y)) for a, b in zip(x, y, strict=True)) / (len(x) - 1)
        assert covariance**2 / (variance(x) * variance(y)) >= 0.95
    assert verdict_of(verdicts, "don2018", "almost linearly") is Verdict.HELD
    assert verdict_of(verdicts, "don2018", "For sensorless") is Verdict.UNDECIDED


def test_signs_without_a_test_decide_nothing(verdicts):
    """Don's proposition has no example."""
    assert verdict_of(verdicts, "don2018", "with even divisions") is Verdict.IN_PART


def test_every_verdict_stands_on_the_page(verdicts):
    """The table of all claims has the verdicts that the records give."""
    text = (DOCS / "reproduction.md").read_text(encoding="utf-8")
    for paper, by_claim in verdicts.items():
        for says, verdict in by_claim.items():
            assert f"| {paper} | {says} | {verdict.value}" in text
