"""Every verdict on Wang et al., worked out from the records a second time, slowly and without the code of the study."""

import json
from math import log, sqrt
from pathlib import Path

import pytest
from scipy.stats import binomtest, norm

from experiments.papers import study_of
from experiments.papers.study import Settings

DOCS = Path(__file__).parents[3] / "docs" / "reproduction"
SETS = {"letter": 26, "optdigits": 10, "pendigits": 10, "mnist7x7": 10}
SMALL = ["letter", "optdigits", "pendigits"]
OTHERS = ["optdigits", "pendigits", "mnist7x7"]
SIX = ["OAO", "OAA", "c-BTS", "PPSVM OAO", "PPSVM OAA", "BTPPSVM"]
PLAIN = "Fisher tree, plain"
LARGEST, SMALLEST = "distance of means, sum of variances (Table 2)", "least separable pair first"
HELD, PART, NOT, OPEN = "held", "held in part", "not held", "cannot be decided here"


@pytest.fixture(scope="module", params=[0, 1])
def found(request):
    """The results of a full run, by step."""
    file = DOCS / f"wang2011-seed{request.param}.json"
    if not file.exists():
        pytest.skip("this copy of the sources came without the records")
    steps = json.loads(file.read_text(encoding="utf-8"))["steps"]
    return {key: step["result"] for key, step in steps.items()}


@pytest.fixture(scope="module")
def claims(found):
    """By name, as the code judges the record."""
    report = study_of("wang2011").report(Settings(0, search=True), found)
    return {claim.name: claim for claim in (*report.claims, *report.own_claims)}


# ------------------------------------------------------------------- the rule, once more


def sign(gain, p):
    """Of one comparison: better, worse, or may be chance."""
    return 0 if p >= 0.05 or gain == 0 else 1 if gain > 0 else -1


def verdict(signs):
    """Of several comparisons."""
    signs = [*signs]
    if 1 not in signs:
        return NOT if -1 in signs else OPEN
    return HELD if set(signs) == {1} else PART


def of_parts(held):
    """Of several statements."""
    held = [*held]
    return HELD if all(held) else PART if any(held) else NOT


def counts(wrong, other):
    """Rows that only the first has right, and only the second."""
    return len([row for row in other if row not in set(wrong)]), len([row for row in wrong if row not in set(other)])


def exact(a, b):
    """McNemar's exact test."""
    return binomtest(a, a + b).pvalue if a + b else 1.0


def adjusted(p_values):
    """Holm's correction, step by step."""
    done, worst = {}, 0.0
    for place, name in enumerate(sorted(p_values, key=lambda name: p_values[name])):
        worst = max(worst, (len(p_values) - place) * p_values[name])
        done[name] = min(1.0, worst)
    return done


def signs_of(pairs):
    """Of comparisons on single test sets: pairs of results with lists of wrong rows."""
    numbers = {name: counts(a["wrong"], b["wrong"]) for name, (a, b) in pairs.items()}
    p = adjusted({name: exact(*both) for name, both in numbers.items()})
    return {name: sign(a - b, p[name]) for name, (a, b) in numbers.items()}


def table(found, data, method):
    """What was measured of a method."""
    return found[f"tables/{data}/{method}"]


def average(found, method, what="error"):
    """Over the four sets."""
    return sum(table(found, data, method)[what] for data in SETS) / 4


def together(found, a, b):
    """The counts of McNemar's test over all sets."""
    each = [counts(table(found, data, a)["wrong"], table(found, data, b)["wrong"]) for data in SETS]
    return sum(x for x, _ in each), sum(y for _, y in each)


def tolerances(found, data, method):
    """The least and the largest share of vectors, over tolerances and orders."""
    tree_of = {"c-BTS": "OAO", PLAIN: "OAO", "BTPPSVM": "PPSVM OAO"}
    shares = found[f"counts/{data}/{tree_of.get(method, method)}"]["vectors_percent"][method]
    every = [*shares.values(), table(found, data, method)["vectors_percent"]]
    return [min(every), max(every)]


def copies(found, data):
    """How far two counts of the same machines are apart, on Letter: hard labels, and soft labels of one neighbour."""
    apart = found["figure1/same C and gamma"]["1"]["OAO"]["vectors_percent"]
    return abs(apart - table(found, "letter", "OAO")["vectors_percent"]) if data == "letter" else 0.0


def spread(found, data, method):
    """With copies of rows counted once or apart: soft labels may count fewer then, and hard labels more."""
    low, high = tolerances(found, data, method)
    soft = "PPSVM" in method
    return [low - copies(found, data) * soft, high + copies(found, data) * (not soft)]


def below(a, b):
    """1 if all counts of a are below those of b, -1 if above, else 0."""
    return 1 if a[1] < b[0] else -1 if a[0] > b[1] else 0


# ------------------------------------------------------------------- Sections 1 to 3


def test_logarithms(found, claims):
    """Machines asked, beside both logarithms; at best, exactly."""
    asked = {tree: [table(found, data, tree)["machines_consulted"] for data in SETS] for tree in ("c-BTS", "BTPPSVM")}
    by_formula = [log((n + 3) / 4) / log(4 / 3) for n in SETS.values()]
    held = of_parts(a <= f + 1 for a, f in zip(asked["c-BTS"], by_formula, strict=True))
    assert claims["c-BTS asks about a logarithm of machines"].verdict.value == held
    held = of_parts(a <= log(n) / log(2) + 1 for a, n in zip(asked["BTPPSVM"], SETS.values(), strict=True))
    assert claims["BTPPSVM asks about log₂ n machines"].verdict.value == held
    cube = found["best case"]
    best = (cube["classes"], cube["machines"], cube["machines_consulted"]) == (8, 7, 3.0)
    assert claims["At best BTPPSVM has n − 1 machines"].verdict.value == (HELD if best else NOT)


def test_soft_labels(found, claims):
    """Their accuracy on right labels, and on wrong ones."""
    pairs = {(d, m): (table(found, d, f"PPSVM {m}"), table(found, d, m)) for d in SETS for m in ("OAO", "OAA")}
    assert claims["PPSVMs are more accurate than SVMs"].verdict.value == verdict(signs_of(pairs).values())
    claim = claims["PPSVMs are more robust against noise"]
    for C, judgement in ((None, claim.judgement), ("100", claim.others["With C = 100 for both"])):
        pairs = {}
        for data in ("optdigits", "pendigits"):
            for share in ("0.05", "0.1", "0.2"):
                ks = found[f"noise/{data}/{share}"]["k"]
                pairs[data, share] = tuple({"wrong": ks[k]["wrong"][C or ks[k]["best_C"]]} for k in ("11", "1"))
        assert judgement.verdict.value == verdict(signs_of(pairs).values())


def test_regions_and_layers(found, claims):
    """Samples in regions, and Equation 3 within Wilson's interval of the error."""
    regions = [table(found, data, f"PPSVM {m}")["regions"]["samples"] > 0 for data in SETS for m in ("OAO", "OAA")]
    assert claims["PPSVMs have unclassifiable regions"].verdict.value == of_parts(regions)
    inside = []
    for data in SETS:
        here = table(found, data, "BTPPSVM")
        n, wrong = here["test_rows"], here["layers"]["wrong"]
        assert wrong == len(here["wrong"])
        right = 1.0
        for error in here["layers"]["errors"]:
            right *= 1 - error / 100
        z, p = norm.ppf(0.975), wrong / n
        centre, half = (
            (p + z * z / (2 * n)) / (1 + z * z / n),
            z * sqrt(p * (1 - p) / n + (z / (2 * n)) ** 2) / (1 + z * z / n),
        )
        inside.append(abs(1 - right - centre) <= half + 1e-12)
    assert claims["Equation 3 gives the error of a tree"].verdict.value == of_parts(inside)


def test_orders_of_pairs_and_reassignment(found, claims):
    """The largest Fisher ratio against the smallest; and Fei and Liu's threshold."""
    trees = {data: found[f"ratios/{data}/PPSVM OAO"] for data in SMALL}
    signs = signs_of({data: (tree[LARGEST], tree[SMALLEST]) for data, tree in trees.items()})
    assert claims["The most separable pair belongs at the root"].verdict.value == verdict(signs.values())
    fewer = [tree[LARGEST]["machines"] < tree[SMALLEST]["machines"] for tree in trees.values()]
    assert claims["The Fisher ratio makes machines fewer"].verdict.value == of_parts(fewer)
    claim = claims["Reassignment costs machines without gain"]
    for threshold, judgement in (("0", claim.judgement), ("0.05", next(iter(claim.others.values())))):
        steps = {data: found[f"reassignment/{data}/{threshold}"] for data in SMALL}
        signs = signs_of({data: (step["0.2"], step["0"]) for data, step in steps.items()})
        held = [
            all(step["0.2"][what] > step["0"][what] for what in ("machines", "trained_rows")) and signs[data] < 1
            for data, step in steps.items()
        ]
        assert judgement.verdict.value == of_parts(held)


# ------------------------------------------------------------------- Table 2


def test_accuracy_against_one_against_one_and_all(found, claims):
    """Half a point behind is comparable; beyond, McNemar's test decides."""
    others = ["OAO", "OAA", "PPSVM OAO", "PPSVM OAA"]
    pairs = {(d, m): (table(found, d, "BTPPSVM"), table(found, d, m)) for d in SETS for m in others}
    tested = signs_of(pairs)
    signs = [1 if a["error"] <= b["error"] + 0.5 else -1 if tested[name] == -1 else 0 for name, (a, b) in pairs.items()]
    assert claims["BTPPSVM is as accurate as OAO and OAA"].verdict.value == verdict(signs)


def test_averages(found, claims):
    """McNemar's test over the answers on all sets together."""
    first = min(["OAO", "PPSVM OAO"], key=lambda m: average(found, m))
    rival = min(["OAA", "c-BTS", "PPSVM OAA", "BTPPSVM"], key=lambda m: average(found, m))
    a, b = together(found, first, rival)
    assert claims["One-against-one is the most accurate"].verdict.value == verdict([sign(a - b, exact(a, b))])
    a, b = together(found, "BTPPSVM", "OAO")
    assert claims["BTPPSVM equals canonical OAO on average"].verdict.value == (NOT if exact(a, b) < 0.05 else HELD)
    numbers = {m: together(found, "BTPPSVM", m) for m in SIX[:-1]}
    p = adjusted({m: exact(*both) for m, both in numbers.items()})
    signs = [sign(a - b, p[m]) for m, (a, b) in numbers.items()]
    expected = NOT if signs.count(-1) > 1 else HELD if signs.count(1) == 4 else OPEN
    assert claims["BTPPSVM ranks second of six"].verdict.value == expected


def test_a_tenth_of_a_point(found, claims):
    """Better than c-BTS beyond chance, and by what may be a twentieth of a point or more."""
    a, b = together(found, "BTPPSVM", "c-BTS")
    variance = 0.0
    for data in SETS:
        x, y = counts(table(found, data, "BTPPSVM")["wrong"], table(found, data, "c-BTS")["wrong"])
        n = table(found, data, "c-BTS")["test_rows"]
        variance += ((x + y) / n - ((x - y) / n) ** 2) / n / 16
    high = average(found, "c-BTS") - average(found, "BTPPSVM") + norm.ppf(0.975) * 100 * sqrt(variance)
    expected = verdict([sign(a - b, exact(a, b))])
    if a > b and high < 0.05:
        expected = NOT
    assert claims["BTPPSVM gains 0.1 points over c-BTS"].verdict.value == expected


# ------------------------------------------------------------------- Tables 3 to 5, Figure 1


def test_vectors(found, claims):
    """Nothing is concluded where the counts of two methods overlap."""
    kin = {"PPSVM OAO": "OAO", "PPSVM OAA": "OAA", "BTPPSVM": "c-BTS"}
    signs = [below(spread(found, d, a), spread(found, d, b)) for a, b in kin.items() for d in SETS]
    assert claims["PPSVMs store fewer vectors"].verdict.value == verdict(signs)
    signs = []
    for data in SETS:
        rivals = [spread(found, data, m) for m in SIX[:-1]]
        signs.append(below(spread(found, data, "BTPPSVM"), min(rivals, key=lambda both: both[0])))
    assert claims["BTPPSVM stores the fewest vectors"].verdict.value == verdict(signs)
    mean = {
        m: [sum(spread(found, d, m)[end] for d in SETS) / 4 for end in (0, 1)] for m in ("BTPPSVM", "OAO", "PPSVM OAO")
    }
    signs = []
    for other, limit in (("OAO", 65.0), ("PPSVM OAO", 83.0)):
        low, high = 100 * mean["BTPPSVM"][0] / mean[other][1], 100 * mean["BTPPSVM"][1] / mean[other][0]
        signs.append(below([low, high], [limit, limit]))
    assert claims["BTPPSVM stores 60 and 78 % of vectors"].verdict.value == verdict(signs)


def test_machines(found, claims):
    """Stored and asked; one-against-one asks all."""
    claim = claims["BTPPSVM has fewer machines"]
    for what, judgement in (("machines", claim.judgement), ("machines_consulted", claim.others["Machines asked"])):
        fewer = 0
        for data in SETS:
            tree, rival = table(found, data, "BTPPSVM")[what], table(found, data, "c-BTS")[what]
            fewer += tree < table(found, data, "OAO")["machines"] and tree < rival
        assert judgement.verdict.value == (HELD if fewer > 2 else NOT)
    claim = claims["Trees use fewer machines than OAO"]
    for what, judgement in (("machines_consulted", claim.judgement), ("machines", next(iter(claim.others.values())))):
        held = [
            table(found, d, tree)[what] <= 0.83 * table(found, d, "OAO")["machines"]
            for tree in ("c-BTS", "BTPPSVM")
            for d in SETS
        ]
        assert judgement.verdict.value == of_parts(held)


def effort(measured, method, reading):
    """Seconds of the loop or of one bank; or the vectors of the machines that the loop asks, for one sample."""
    if reading == "Kernel values of the loop":
        return measured["summed_vectors" if method in ("OAO", "PPSVM OAO") else "support_vectors"]
    return measured["test_seconds" if reading else "loop_seconds"]


def test_times(found, claims):
    """The loop decides; one bank, and the work of the loop, stand beside it."""
    published = {"PPSVM OAO": 48.5, "PPSVM OAA": 18.9, "OAO": 50.4, "OAA": 47.7, "c-BTS": 57.1}
    names = [
        "BTPPSVM has the shortest test time",
        "BTPPSVM saves a fifth to a half of time",
        "Test times elsewhere are similar",
    ]
    for what in (None, "One bank", "Kernel values of the loop"):
        seconds = {data: {m: effort(table(found, data, m), m, what) for m in SIX} for data in SETS}
        fastest = {data: min(of, key=of.get) == "BTPPSVM" for data, of in seconds.items()}
        letter = seconds["letter"]
        saved = {m: 100 - 100 * letter["BTPPSVM"] / letter[m] for m in published}
        expected = [
            HELD if fastest["letter"] else NOT,
            of_parts(saved[m] >= least for m, least in published.items()),
            of_parts(fastest[data] for data in OTHERS),
        ]
        for name, value in zip(names, expected, strict=True):
            claim = claims[name]
            judgement = claim.judgement if what is None else claim.others[what]
            assert judgement.verdict.value == value, (name, what)


def test_figure_1(found, claims):
    """From k = 1 to k = 11: the error by McNemar's test, vectors beyond their spread and without a rise on the way."""

    def vectors(data):
        last, first = spread(found, data, "BTPPSVM"), spread(found, data, PLAIN)
        ks = [int(key.split("/")[2]) for key in found if key.startswith(f"figure1/{data}/")]
        between = [found[f"figure1/{data}/{k}"]["tree"]["vectors_percent"] for k in sorted(ks)]
        first_share, last_share = (table(found, data, m)["vectors_percent"] for m in (PLAIN, "BTPPSVM"))
        shares = [first_share, *between, last_share]
        rise = max(shares[i + 1] - shares[i] for i in range(len(shares) - 1))
        return -1 if rise > max(last[1] - last[0], first[1] - first[0]) else below(last, first)

    pairs = {data: (table(found, data, "BTPPSVM"), table(found, data, PLAIN)) for data in SETS}
    claim = claims["Error and vectors fall with k"]
    (error,) = signs_of({"letter": pairs["letter"]}).values()
    assert claim.verdict.value == verdict([error, vectors("letter")])
    errors = signs_of({data: pairs[data] for data in OTHERS})
    expected = verdict([*errors.values(), *map(vectors, OTHERS)])
    assert claims["They fall on the other sets"].verdict.value == expected
    fixed = found["figure1/same C and gamma"]
    first, last = fixed["1"]["tree"], fixed["11"]["tree"]
    (error,) = signs_of({"letter": (last, first)}).values()
    shifted = [
        [
            end + one["vectors_percent"] - table(found, "letter", method)["vectors_percent"]
            for end in tolerances(found, "letter", method)
        ]
        for method, one in (("BTPPSVM", last), (PLAIN, first))
    ]
    assert next(iter(claim.others.values())).verdict.value == verdict([error, below(*shifted)])


# ------------------------------------------------------------------- our own


def test_our_own(found, claims):
    """Kernel values, and soft labels at equal C and gamma."""
    work = {m: table(found, "letter", m)["kernel_evaluations"] for m in SIX}
    expected = HELD if min(work, key=work.get) == "BTPPSVM" else NOT
    assert claims["BTPPSVM computes the fewest kernel values"].verdict.value == expected
    signs = []
    for method in ("PPSVM OAO", "PPSVM OAA"):
        for data in SETS:
            soft, share = spread(found, data, method), found[f"hard/{data}/{method}"]["vectors_percent"]
            step = found.get(f"counts/{data}/hard {method}")
            if step is None:
                hard = [share - (soft[1] - soft[0]), share + (soft[1] - soft[0])]
            else:
                shares = [share, *next(iter(step["vectors_percent"].values())).values()]
                hard = [min(shares), max(shares) + copies(found, data)]
            signs.append(below(soft, hard))
    assert claims["Soft labels alone make vectors fewer"].verdict.value == verdict(signs)


def test_no_verdict_is_left_out(claims):
    """Each claim of the report is worked out above."""
    text = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in claims if f'"{name}"' not in text] == []
