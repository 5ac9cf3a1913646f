"""The samples that are still undecided."""

import numpy as np


def test_active_are_the_worst_violators_that_were_in_a_set(make):
    """They ascend, and none that was left out violates more, of those that ever were in a working set."""
    problem = make(8, 400, start=0.5)
    seen = set(problem.parts.select(1e-3))
    active = problem.parts.active(4, 8, 32)
    assert active == sorted(active)
    assert len(active) == 8 < len(seen)
    assert set(active) <= seen
    violations = {k: problem.parts.violation(k) for k in seen}
    assert min(violations[k] for k in active) >= max(
        (v for k, v in violations.items() if k not in active), default=-np.inf
    )


def test_no_visit_where_no_sample_was_in_a_set(make):
    assert make(9, 400).parts.active(8, 16, 32) == []
