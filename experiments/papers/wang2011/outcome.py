"""What came out, in one minute and in one sentence."""

from __future__ import annotations

from math import log2

from .claims import error_rates
from .cost_claims import vector_shares
from .published import AVERAGE, OF_VECTORS, SETS, VECTORS
from .results import BANK, LOOP, Record, cost, mean, of, span

SOFT = ("PPSVM OAO", "PPSVM OAA", "BTPPSVM")


def close(found: Record) -> tuple[list[bool], list[bool]]:
    """Whether each published error comes out to half a point: of canonical machines, and with soft labels."""
    rates = error_rates(found)
    return (
        [rate.is_close for rate in rates if rate.method not in SOFT],
        [rate.is_close for rate in rates if rate.method in SOFT],
    )


def finding(found: Record) -> str:
    """The end of a sentence that begins with the verdicts."""
    hard, soft = close(found)
    return (
        f"{sum(hard)} of {len(hard)} errors of canonical machines come out to half a point, but {sum(soft)} of {len(soft)} of "
        f"those on soft labels, and the tree stores {span(vector_shares(found)['OAO'])} % of the vectors of one-against-one "
        f"(published: {OF_VECTORS['OAO']} %)"
    )


def outcome(found: Record) -> str:
    """What came out, in a minute."""
    hard, soft = close(found)
    tree, n = of(found, "letter", "BTPPSVM"), SETS["letter"][0]
    shares = [f"{mean(found, method, 'vectors_percent'):.1f}" for method in ("BTPPSVM", "OAO")]
    loop, bank = (cost(found, "letter", "BTPPSVM", what) / cost(found, "letter", "OAO", what) for what in (LOOP, BANK))
    return (
        f"Of the {len(hard)} published errors of canonical machines {sum(hard)} come out to half a point, of the {len(soft)} "
        f"with soft labels {sum(soft)}: on average one-against-one errs on {mean(found, 'OAO', 'error'):.2f} % without and on "
        f"{mean(found, 'PPSVM OAO', 'error'):.2f} % with soft labels. BTPPSVM stores {shares[0]} % of the training set as "
        f"vectors and one-against-one {shares[1]} % (published: {VECTORS[AVERAGE][5]:.1f} and {VECTORS[AVERAGE][0]} %). On "
        f"Letter it asks {tree['machines_consulted']:.1f} machines (log₂ n is {log2(n):.1f}), and its test time is {loop:.2f} "
        f"of that of one-against-one in a loop over machines, {bank:.2f} of it in one bank. The paper does not give its "
        "scaling, C and γ, how it reduced MNIST, or how its c-BTS works, so it cannot be known why its figures differ."
    )
