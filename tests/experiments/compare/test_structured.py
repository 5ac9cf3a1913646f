"""The structures of Dagmar as schemes."""

import pytest

from dagmar import SVCCV
from experiments.compare.scheme import Trial
from experiments.compare.structured import BASES, SCALERS, structured

TRIAL = Trial(seed=3, threads=1, n_features=2)


def test_options_reach_the_search():
    """Soft labels, kernel, scaling and groups are parameters of SVCCV."""
    search = structured("fisher_tree+soft11+groups+linear+unscaled").make(TRIAL)
    assert isinstance(search, SVCCV)
    assert search.soft_labels == 11
    assert search.kernel == "linear"
    assert search.scaler is None
    assert search.structure.machines == "groups"
    assert search.search == "adaptive"


@pytest.mark.parametrize("name", ["forest", "ddag+", "ddag+hard", "max_wins+groups", "ddag+tree+linear"])
def test_other_names_are_no_structures(name):
    """The registry looks elsewhere, or tells the user."""
    with pytest.raises(KeyError):
        structured(name)


def test_words_name_the_options():
    """They are shown by --list-schemes and on the page."""
    for option, (words, _) in SCALERS.items():
        assert words in structured(f"ddag+{option}").words
    for option, (words, *_) in BASES.items():
        assert words in structured(f"ddag+{option}").words
