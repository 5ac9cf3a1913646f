"""Scalers by name."""

import pytest
from sklearn.preprocessing import MinMaxScaler, PowerTransformer, RobustScaler, StandardScaler

from dagmar.tuning import Ranks
from dagmar.tuning.scalers import SCALERS, make_scaler


@pytest.mark.parametrize(
    ("name", "kind"),
    list(zip(SCALERS, [StandardScaler, MinMaxScaler, RobustScaler, PowerTransformer, Ranks], strict=True)),
)
def test_names_are_transformers_with_their_defaults(name, kind):
    made = make_scaler(name)
    assert type(made) is kind
    assert made.get_params() == kind().get_params()


def test_transformers_are_cloned():
    given = MinMaxScaler((0, 2))
    assert make_scaler(given) is not given
    assert repr(make_scaler(given)) == repr(given)
    assert make_scaler(None) is None
