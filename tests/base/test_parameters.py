"""The door: each parameter has what it may be, and an error that says so."""

import numpy as np
import pytest
from sklearn.svm import SVC as TheirSVC

import dagmar
from dagmar.base.exceptions import InvalidParameterError
from dagmar.base.parameters import SVC_CHECKS, Check, check_parameters, none, number, one_of

REFUSED = [
    ("C", 0),
    ("C", -1.0),
    ("C", np.nan),
    ("C", "1"),
    ("C", True),
    ("kernel", "gauss"),
    ("kernel", None),
    ("degree", -1),
    ("degree", 2.5),
    ("gamma", -0.1),
    ("gamma", "big"),
    ("gamma", np.inf),
    ("gamma", np.nan),
    ("coef0", np.inf),
    ("coef0", "0"),
    ("shrinking", "yes"),
    ("tol", 0.0),
    ("tol", -1e-3),
    ("tol", np.nan),
    ("cache_size", 0),
    ("cache_size", -5),
    ("class_weight", "heavy"),
    ("class_weight", [1, 2]),
    ("verbose", -1),
    ("max_iter", -2),
    ("max_iter", 1.5),
    ("decision_function_shape", "ova"),
    ("break_ties", 2),
    ("random_state", "seed"),
    ("n_jobs", 1.5),
    ("n_jobs", "all"),
    ("precision", "half"),
]


# Numbers beyond the range of native types, and NaN inside an array.
BEYOND = [
    ("degree", 2**31),
    ("degree", 10**400),
    ("C", 10**400),
    ("C", [1.0, 10**400, 1.0]),
    ("C", np.longdouble("1e4000") if np.finfo(np.longdouble).maxexp > 1024 else 10**400),
    ("gamma", 10**400),
    ("gamma", [1.0, np.nan, 1.0]),
    ("coef0", 10**400),
    ("tol", 10**400),
    ("cache_size", 10**400),
]


@pytest.mark.parametrize(("name", "value"), REFUSED)
def test_bad_values_are_refused(three_blobs, name, value):
    """A value that a parameter cannot have is an error that names parameter and value."""
    with pytest.raises(InvalidParameterError, match=rf"^The '{name}' parameter of SVC must be .*\. Got .* instead"):
        dagmar.SVC(**{name: value}).fit(*three_blobs)


@pytest.mark.parametrize("place", range(len(BEYOND)))
def test_numbers_beyond_native_types_are_refused(three_blobs, place):
    """An integer that no float or int of the core can hold is an error that names the parameter."""
    name, value = BEYOND[place]
    with pytest.raises(InvalidParameterError, match=rf"^The '{name}' parameter of SVC must be .*\. Got .* instead"):
        dagmar.SVC(**{name: value}).fit(*three_blobs)


@pytest.mark.parametrize(("name", "value"), [p for p in REFUSED if p[0] not in ("n_jobs", "precision")])
def test_what_scikit_learn_refuses_is_refused(name, value, three_blobs):
    """The error is one that code written for scikit-learn's catches."""
    try:
        TheirSVC(**{name: value}).fit(*three_blobs)
    except (ValueError, TypeError) as theirs:
        caught = type(theirs).__mro__
        assert ValueError in caught or TypeError in caught
        with pytest.raises((ValueError, TypeError)):
            dagmar.SVC(**{name: value}).fit(*three_blobs)
    else:
        pytest.skip("scikit-learn takes this value")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("C", np.float32(2)),
        ("C", 3),
        ("degree", np.int64(2)),
        ("gamma", 0.0),
        ("gamma", 1),
        ("tol", 1e-5),
        ("cache_size", 0.5),
        ("verbose", 0),
        ("max_iter", 10_000),
        ("max_iter", 2**70),
        ("cache_size", 1e300),
        ("n_jobs", 10**400),
        ("C", np.longdouble(2.0)),
        ("shrinking", np.False_),
        ("n_jobs", np.int64(2)),
        ("n_jobs", -1),
        ("random_state", np.random.RandomState(0)),
        ("class_weight", {0: 2.0}),
        ("class_weight", "balanced"),
    ],
)
def test_good_values_are_taken_and_left_alone(three_blobs, name, value):
    """What a parameter may be is taken, and stays on the estimator as the user gave it."""
    clf = dagmar.SVC(**{name: value}).fit(*three_blobs)
    assert getattr(clf, name) is value


def test_numbers_that_cannot_be_printed_are_refused(three_blobs):
    """Python prints no integer of more than 4300 digits; the error still names the parameter."""
    with pytest.raises(InvalidParameterError, match=r"'C' parameter .* Got a number that is too long to print"):
        dagmar.SVC(C=10**5000).fit(*three_blobs)


def test_every_parameter_has_a_check():
    """No parameter of the estimator goes unchecked; the structure is checked by its own function."""
    assert set(SVC_CHECKS) | {"structure"} == set(dagmar.SVC().get_params())


def test_defaults_are_scikit_learns():
    """Parameters shared with scikit-learn's SVC have its defaults."""
    theirs = TheirSVC().get_params()
    ours = dagmar.SVC().get_params()
    shared = set(theirs) & set(ours)
    assert set(theirs) <= shared
    if theirs.get("probability") == "deprecated":  # a word for False, which later versions do not know
        theirs["probability"] = False
    assert {name: ours[name] for name in shared} == {name: theirs[name] for name in shared}


def test_parameters_are_checked_at_fit_only():
    """Making an estimator checks nothing, as scikit-learn's rules want it."""
    assert dagmar.SVC(C=-1).C == -1


@pytest.mark.parametrize(
    ("closed", "inside", "outside"),
    [
        ("left", [0, 1.9], [2, -1]),
        ("right", [2, 0.1], [0, 3]),
        ("both", [0, 2], [-0.1, 2.1]),
        ("neither", [1], [0, 2]),
    ],
)
def test_intervals(closed, inside, outside):
    """Ends belong to an interval as it says."""
    check = number(0, 2, closed)
    assert all(check.accepts(v) for v in inside)
    assert not any(check.accepts(v) for v in outside)


def test_checks_are_joined_in_words():
    """Alternatives are tried in turn; the error names them all."""
    either = one_of(["b", "a"]) | none
    assert either.accepts("a")
    assert either.accepts(None)
    assert not either.accepts("c")
    assert either.words == "a str among {'a', 'b'} or None"
    with pytest.raises(InvalidParameterError, match=r"The 'x' parameter of Thing must be nice\. Got 3 instead"):
        check_parameters("Thing", {"x": 3}, {"x": Check(lambda v: False, "nice")})
