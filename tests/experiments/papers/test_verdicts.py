"""The verdicts on the page are those that the records give, worked out here a second time, slowly."""

import json
from pathlib import Path

import pytest
from scipy.stats import binomtest

from experiments.papers import NAMES, study_of
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


def test_platts_single_test_sets(found, verdicts):
    """McNemar's exact test from the counts, and times that exceed the published advantage."""
    platt = found["platt1999"]
    p, ahead = {}, {}
    for data in ("usps", "letter"):
        for rule in ("1-v-r", "Max Wins"):
            test = platt[f"table1/{data}"]["mcnemar"][f"{rule}, DAGSVM"]
            a, b = test["only_first"], test["only_second"]
            p[data, rule] = binomtest(a, a + b).pvalue if a + b else 1.0
            ahead[data, rule] = a > b
    assert not any(value < 0.05 and ahead[key] for key, value in adjusted(p).items())
    assert verdict_of(verdicts, "platt1999", "Neither 1-v-r nor Max Wins") is Verdict.HELD
    for data, least in (("usps", 11.5), ("letter", 2.2)):
        rules = platt[f"table1/{data}"]["rules"]
        assert rules["1-v-r"]["cpu_seconds"] / rules["DAGSVM"]["cpu_seconds"] >= least
    assert verdict_of(verdicts, "platt1999", "trains 11.5 and 2.2 times faster") is Verdict.HELD


def test_signs_without_a_test_decide_nothing(verdicts):
    """Yu's gain of hundredths of a point, and Wang's order of averages, may be chance."""
    assert verdict_of(verdicts, "yu2011", "as random orders are on average") is Verdict.UNDECIDED
    assert verdict_of(verdicts, "wang2011", "the most accurate on average") is Verdict.UNDECIDED


def test_every_verdict_stands_on_the_page(verdicts):
    """The table of all claims has the verdicts that the records give."""
    text = (DOCS / "reproduction.md").read_text(encoding="utf-8")
    for paper, by_claim in verdicts.items():
        for says, verdict in by_claim.items():
            assert f"| {paper} | {says} | {verdict.value}" in text
