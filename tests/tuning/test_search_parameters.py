"""Parameters of a search that are wrong are named."""

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from dagmar import SVCCV


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (
            {"Cs": []},
            "The 'Cs' parameter of SVCCV must be None or an array of one or more floats in the range (0.0, inf)",
        ),
        (
            {"Cs": [1, -1]},
            "The 'Cs' parameter of SVCCV must be None or an array of one or more floats in the range (0.0, inf)",
        ),
        (
            {"Cs": [np.inf]},
            "The 'Cs' parameter of SVCCV must be None or an array of one or more floats in the range (0.0, inf)",
        ),
        ({"Cs": 3.0}, "The 'Cs' parameter of SVCCV must be"),
        (
            {"gammas": [0.1, -0.1]},
            "The 'gammas' parameter of SVCCV must be a str among {'auto', 'dbtc', 'scale', 'scale-grid'} or an array",
        ),
        ({"gammas": ["scale", "dbtc"]}, "in the range (0.0, inf) or 'scale' or 'auto'. Got ['scale', 'dbtc'] instead"),
        ({"gammas": []}, "The 'gammas' parameter of SVCCV must be"),
        ({"gammas": "dbtc", "kernel": "poly"}, "The 'gammas' parameter of SVCCV may be 'dbtc' for kernel='rbf' only"),
        (
            {"cv": 1},
            "The 'cv' parameter of SVCCV must be an int in the range [2, inf) or a float in the range (0.0, 1.0)",
        ),
        ({"cv": 1.5}, "The 'cv' parameter of SVCCV must be"),
        ({"cv": True}, "The 'cv' parameter of SVCCV must be"),
        ({"cv": "five"}, "The 'cv' parameter of SVCCV must be"),
        ({"cv": []}, "cv makes no folds"),
        ({"cv": [([0, 1, 2], [])]}, "fold 0 of cv has 3 samples to train on and 0 to be tested on"),
        ({"per_pair": 1}, "The 'per_pair' parameter of SVCCV must be a bool"),
        ({"refit": "C"}, "The 'refit' parameter of SVCCV must be a bool with a single score. Got 'C' instead"),
        ({"refit": 1}, "The 'refit' parameter of SVCCV must be a bool or a str"),
        (
            {"scoring": []},
            "The 'scoring' parameter of SVCCV must be None or a str or a callable or a list of str or a dict",
        ),
        (
            {"scoring": ["accuracy"]},
            "'refit' parameter of SVCCV must be the name of the one that chooses the best cell",
        ),
        ({"scoring": ["accuracy"], "refit": "f1"}, "or False. Got 'f1'; the names are ['accuracy']"),
        ({"scoring": ["accuracy"] * 2, "refit": "accuracy"}, "must not have a name twice"),
        ({"scoring": ["accuracy"], "refit": False, "search": "adaptive"}, "the one that guides the search"),
        ({"scoring": {"a": "accuracy"}, "refit": "a", "per_pair": True}, "must be None with per_pair=True"),
        ({"search": "random"}, "The 'search' parameter of SVCCV must be a str among {'adaptive', 'auto', 'grid'}"),
        ({"search": "adaptive", "per_pair": True}, "The 'search' parameter of SVCCV must be 'grid' with per_pair=True"),
        (
            {"scaler": "standrad"},
            "The 'scaler' parameter of SVCCV must be None or a str among {'minmax', 'power', 'ranks', 'robust', 'standard'} "
            "or a transformer or a list of one or more of these. Got 'standrad' instead",
        ),
        ({"scaler": []}, "The 'scaler' parameter of SVCCV must be"),
        ({"kernels": "rbf"}, "The 'kernels' parameter of SVCCV must be None or a list of one or more str among {"),
        ({"kernels": ("rbf", "precomputed")}, "The 'kernels' parameter of SVCCV must be"),
        (
            {"kernels": ("rbf", "linear"), "per_pair": True},
            "must be one 'kernel' and one 'scaler', which all pairs share",
        ),
        (
            {"feature_weights": "learned", "per_pair": True},
            "one 'scaler', which all pairs share, and no 'feature_weights'",
        ),
        (
            {"feature_weights": True},
            "The 'feature_weights' parameter of SVCCV must be None or a str among {'learned'} or",
        ),
        (
            {"feature_weights": "learned", "kernel": "chi2"},
            "The 'feature_weights' parameter of SVCCV may be 'learned' for the kernels linear, poly, rbf",
        ),
        ({"search": "auto", "per_pair": True}, "The 'search' parameter of SVCCV must be 'grid' with per_pair=True"),
        ({"scaler": ["ranks", None], "per_pair": True}, "must be one 'kernel' and one 'scaler'"),
        (
            {"scaler": StandardScaler(), "kernel": "precomputed"},
            "The 'scaler' parameter of SVCCV must be None if the kernel is precomputed or callable",
        ),
        ({"scoring": "accuracy", "per_pair": True}, "The 'scoring' parameter of SVCCV must be None with per_pair=True"),
        ({"structure": "one_vs_rest", "per_pair": True}, "all machines must be pairs"),
        ({"structure": "dag"}, "The 'structure' parameter of SVCCV must be a str among"),
        ({"tol": 0.0}, "The 'tol' parameter of SVCCV must be a float in the range (0.0, inf)"),
        ({"cv": [(range(90), range(90))], "per_pair": True}, "no sample may be in both the training and the test part"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(parameters, words, three_blobs):
    """The error says which, what it may be, and what was given."""
    with pytest.raises(ValueError) as error:  # noqa: PT011
        SVCCV(**parameters).fit(*three_blobs)
    assert words in str(error.value)
