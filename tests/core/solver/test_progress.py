"""When the solver gives up."""

from dagmar._core import Progress


def test_a_window_has_256_rounds():
    progress = Progress()
    ends = [round_ for round_ in range(1, 1100) if progress.window_ends(round_)]
    assert ends == [256, 512, 768, 1024]


def test_a_smaller_gap_or_objective_is_progress():
    """A tenth of the gap, or more of the objective than its rounding."""
    progress = Progress()
    assert progress.goes_on(1.0, -1.0, 1e-9, 0.5)
    for step in range(1, 50):
        assert progress.goes_on(1.0, -1.0 - 1e-6 * step, 1e-9, 0.5)
    for step in range(1, 50):
        assert progress.goes_on(0.89**step, -1.0, 1e-9, 0.0)


def test_patience_ends_after_sixteen_windows():
    progress = Progress()
    assert progress.goes_on(1.0, -1.0, 1e-9, 0.5)
    assert [progress.goes_on(0.95, -1.0, 1e-9, 0.5) for _ in range(16)] == [True] * 15 + [False]


def test_patience_ends_at_once_where_rounding_hides_the_gap():
    progress = Progress()
    assert progress.goes_on(0.1, -1.0, 1e-9, 0.5)
    assert not progress.goes_on(0.1, -1.0, 1e-9, 0.5)


def test_three_rounds_that_move_nothing_end_it():
    progress = Progress()
    assert progress.moves(False)
    assert progress.moves(False)
    assert progress.moves(True)
    assert [progress.moves(False) for _ in range(3)] == [True, True, False]


def test_computing_scores_anew_helps_only_with_a_lower_objective():
    progress = Progress()
    assert progress.starts_anew(1.0, -1.0, 1e-9)
    assert not progress.starts_anew(0.5, -1.0, 1e-9)
    assert progress.starts_anew(0.5, -1.1, 1e-9)
