"""The text of a LIBSVM model file: what it says, and no trust in it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagmar

GOOD = """svm_type c_svc
kernel_type polynomial
degree 2
gamma 0.5
coef0 1
nr_class 3
total_sv 4
rho 0.1 0.2 0.3
label 4 2 9
probA 1 1 1
probB 0 0 0
nr_sv 2 1 1
SV
0.5 0.25 1:1 3:-2.5
0.5 0 2:1e-3
-1 0.5 1:4
-0.25 -0.5
"""


# What is replaced, by what, the line that is named, and what is said of it.
BROKEN = {
    "regression": ("c_svc", "epsilon_svr", 1, "'epsilon_svr' is not a classifier"),
    "one class": ("c_svc", "one_class", 1, "'one_class' is not a classifier"),
    "unknown type": ("c_svc", "d_svc", 1, "'svm_type' must be one of c_svc, nu_svc, not 'd_svc'"),
    "unknown kernel": ("polynomial", "poly", 2, "'kernel_type' must be one of"),
    "kernel twice": ("degree 2", "kernel_type rbf", 3, "'kernel_type' is given twice"),
    "missing degree": ("degree 2\n", "", 12, "'degree' is missing"),
    "missing label": ("label 4 2 9\n", "", 12, "'label' is missing"),
    "missing type": ("svm_type c_svc\n", "", 12, "'svm_type' is missing"),
    "unknown entry": ("coef0 1", "coef1 1", 5, "'coef1' is not an entry"),
    "binary": ("svm_type", "\x00\x01", 1, "is not an entry"),
    "two gammas": ("gamma 0.5", "gamma 0.5 1", 4, "'gamma' must have one value, not 2"),
    "no gamma": ("gamma 0.5", "gamma", 4, "'gamma' must have one value, not 0"),
    "gamma word": ("gamma 0.5", "gamma half", 4, "'half' is not a finite number"),
    "gamma negative": ("gamma 0.5", "gamma -1", 4, "'gamma' must not be negative"),
    "gamma nan": ("gamma 0.5", "gamma nan", 4, "'nan' is not a finite number"),
    "degree part": ("degree 2", "degree 2.5", 3, "'2.5' is not a whole number"),
    "degree huge": ("degree 2", "degree 1" + 400 * "0", 3, "is not a whole number in range"),
    "one label": ("nr_class 3", "nr_class 1", 6, "two classes or more"),
    "many classes": ("nr_class 3", "nr_class 1000000", 8, "'rho' must have 499999500000 values"),
    "rho": ("rho 0.1 0.2 0.3", "rho 0.1 0.2", 8, "'rho' must have 3 values for 3 classes, not 2"),
    "probA": ("probA 1 1 1", "probA 1 1", 10, "'probA' must have 3 values"),
    "probB": ("probB 0 0 0", "probB 0 0 nan", 11, "'nan' is not a finite number"),
    "only probA": ("probB 0 0 0\n", "", 12, "'probA' and 'probB' go together"),
    "labels": ("label 4 2 9", "label 4 2", 9, "'label' must have 3 values"),
    "same label": ("label 4 2 9", "label 4 2 4", 9, "a label is given twice"),
    "nr_sv": ("nr_sv 2 1 1", "nr_sv 2 1", 12, "'nr_sv' must have 3 values"),
    "sum": ("nr_sv 2 1 1", "nr_sv 2 1 2", 12, "'nr_sv' adds up to 5, but total_sv is 4"),
    "huge total": ("total_sv 4", "total_sv 2000000000", 12, "'nr_sv' adds up to 4"),
    "negative": ("nr_sv 2 1 1", "nr_sv 4 1 -1", 12, "'nr_sv' must not be negative"),
    "no vectors": (GOOD[GOOD.index("SV\n") :], "", 12, "ends before the line 'SV'"),
    "few vectors": ("-0.25 -0.5\n", "", 16, "ends after 3 of 4 support vectors"),
    "many vectors": ("-0.25 -0.5\n", "-0.25 -0.5\n1 1 1:1\n", 18, "more support vectors than the 4"),
    "cut number": ("-0.25 -0.5\n", "-0.25 -0.", 17, "cut off"),
    "cut coefficient": ("-0.25 -0.5\n", "-0.25\n", 17, "must begin with 2 coefficients"),
    "feature for coefficient": ("0.5 0 2:1e-3", "0.5 2:1e-3", 15, "must begin with 2 coefficients"),
    "coefficient word": ("0.5 0 2:1e-3", "0.5 x 2:1e-3", 15, "'x' is not a finite number"),
    "coefficient inf": ("0.5 0 2:1e-3", "0.5 inf 2:1e-3", 15, "'inf' is not a finite number"),
    "no colon": ("2:1e-3", "2", 15, "'2' is not a feature"),
    "no value": ("2:1e-3", "2:", 15, "'' is not a finite number"),
    "two colons": ("2:1e-3", "2:1:1", 15, "'1:1' is not a finite number"),
    "underscore": ("2:1e-3", "2:1_0", 15, "'1_0' is not a finite number"),
    "index 0": ("2:1e-3", "0:1", 15, "0 comes after 0"),
    "descending": ("1:1 3:-2.5", "3:1 1:-2.5", 14, "1 comes after 3"),
    "index huge": ("2:1e-3", "99999999999:1", 15, "is not a whole number in range"),
    "precomputed": ("polynomial", "precomputed", 14, "must be 0:number"),
}


def write(folder, text):
    path = folder / "some.model"
    path.write_bytes(text.encode())
    return path


def test_the_good_file_is_good(tmp_path):
    """The file that others are made from can be read, also with other line ends and blank lines."""
    ours = dagmar.from_libsvm(write(tmp_path, GOOD), n_features=3)
    x = np.array([[1.0, 2.0, 0.5]])
    k = (0.5 * np.array([[1, 0, -2.5], [0, 1e-3, 0], [4, 0, 0], [0, 0, 0]]) @ x[0] + 1) ** 2
    pairs = [
        0.5 * k[0] + 0.5 * k[1] - k[2] - 0.1,
        0.25 * k[0] - 0.25 * k[3] - 0.2,
        0.5 * k[2] - 0.5 * k[3] - 0.3,
    ]
    np.testing.assert_allclose(-ours.pair_decisions(x)[0], pairs)
    assert ours.classes_.tolist() == [4, 2, 9]
    other = dagmar.from_libsvm(write(tmp_path, GOOD.replace("\n", "\r\n").replace("SV\r", "\r\nSV\r") + "\n"))
    np.testing.assert_array_equal(other.pair_decisions(x), ours.pair_decisions(x))


@pytest.mark.parametrize("case", BROKEN)
def test_malformed_files_are_refused(tmp_path, case):
    """The error names the file, the line and what is wrong."""
    old, new, line, what = BROKEN[case]
    assert old in GOOD
    path = write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(ValueError, match=r".") as caught:
        dagmar.from_libsvm(path)
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert what in str(caught.value)


def test_files_that_are_none(tmp_path):
    """An empty file has an error of its own; a file that is not there is Python's own error."""
    with pytest.raises(ValueError, match="line 0: the file ends before the line 'SV'"):
        dagmar.from_libsvm(write(tmp_path, ""))
    with pytest.raises(FileNotFoundError):
        dagmar.from_libsvm(tmp_path / "none")


@given(cut=st.integers(0, len(GOOD) - 1))
def test_no_truncated_file_is_taken(tmp_path_factory, cut):
    """Wherever a file is cut off, it is refused."""
    path = write(tmp_path_factory.mktemp("cut"), GOOD[:cut])
    with pytest.raises(ValueError, match="line"):
        dagmar.from_libsvm(path)


@given(place=st.integers(0, len(GOOD) - 1), byte=st.characters(max_codepoint=255))
def test_any_byte_may_be_wrong(tmp_path_factory, place, byte):
    """A wrong byte is refused in words, or gives a model that answers."""
    path = write(tmp_path_factory.mktemp("byte"), GOOD[:place] + byte + GOOD[place + 1 :])
    try:
        ours = dagmar.from_libsvm(path)
    except ValueError as error:
        assert str(error)  # noqa: PT017 (either is fine)
    else:
        assert (
            ours.predict(np.zeros((1, ours.n_features_in_)) if ours.n_features_in_ < 10**6 else None)[0]
            in ours.classes_
        )
