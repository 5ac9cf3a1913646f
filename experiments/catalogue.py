"""What is known of each data set before it is read; files and downloads are checked against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Origin:
    """Where a set that cannot be downloaded here is found.

    Attributes
    ----------
    where : str
        Who has it, and which files.
    sha256 : str
        The SHA-256 digest of the arrays made from it, as `data.fingerprint` computes it.
    """

    where: str
    sha256: str


@dataclass(frozen=True)
class Known:
    """The shape of a data set, and where it can be downloaded.

    Attributes
    ----------
    features : int
    counts : mapping of str to tuple of int
        For each part ("train", "val" and "test", or "all"), in the order of its rows: the number of samples of each class.
        Equal class counts also show that rows were split at the official place and classes numbered in the same order.
        A part that is not listed is not compared.
    openml : int, optional
        The id on OpenML of a copy with the same rows in the same order. None if no such copy is known.
    origin : Origin, optional
        Where to get a set that has no such copy.

    Examples
    --------
    >>> from experiments.catalogue import CATALOGUE
    >>> known = CATALOGUE["letter"]
    >>> known.rows("train"), known.features, known.n_classes
    (16000, 16, 26)
    """

    features: int
    counts: Mapping[str, tuple[int, ...]]
    openml: int | None = None
    origin: Origin | None = None

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return max(len(counts) for counts in self.counts.values())

    def rows(self, part: str) -> int:
        """The number of samples in a part."""
        return sum(self.counts[part])


def _digits(train: str, test: str) -> dict[str, tuple[int, ...]]:
    return {"train": _numbers(train), "test": _numbers(test)}


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(word) for word in text.split())


_MNIST = _digits("5923 6742 5958 6131 5842 5421 5918 6265 5851 5949", "980 1135 1032 1010 982 892 958 1028 974 1009")

CATALOGUE = {
    "letter": Known(
        16,
        _digits(
            "633 630 594 638 616 622 609 583 590 599 593 604 648 617 614 635 615 597 587 645 645 628 613 628 641 576",
            "156 136 142 167 152 153 164 151 165 148 146 157 144 166 139 168 168 161 161 151 168 136 139 159 145 158",
        ),
        openml=6,
    ),
    # OpenML has LIBSVM's version: the same digits in the same order, but other pixel values than zip.train and zip.test.
    "usps": Known(
        256,
        _digits("1194 1005 731 658 652 556 664 645 542 644", "359 264 198 166 200 160 170 147 166 177"),
        openml=41082,
    ),
    "pendigits": Known(
        16,
        _digits("780 779 780 719 780 720 720 778 719 719", "363 364 364 336 364 335 336 364 336 336"),
        openml=32,
    ),
    "optdigits": Known(
        64,
        _digits("376 389 380 389 387 376 377 387 380 382", "178 182 177 183 181 182 181 179 174 180"),
        openml=28,
    ),
    "mnist": Known(784, _MNIST, openml=554),
    "mnist7x7": Known(49, _MNIST),  # made from mnist where it is not in the folder
    "covertype": Known(  # downloaded by scikit-learn's fetch_covtype
        54,
        {"train": (1620,) * 7, "val": (540,) * 7, "test": (209680, 281141, 33594, 587, 7333, 15207, 18350)},
    ),
    "vowel": Known(
        10,
        {"train": (48,) * 11, "test": (42,) * 11},
        origin=Origin(
            "R package ElemStatLearn, vowel.train and vowel.test (github.com/cran/ElemStatLearn, data/*.RData), "
            "the columns x.1 to x.10",
            "dd465c05d0f2d6e4817276dab815c2429f16d57b2b3db98f519321248f629915",
        ),
    ),
    "vehicle": Known(18, {"all": (218, 212, 217, 199)}, openml=54),
    "segment": Known(  # OpenML's copy has no official split
        19,
        {"train": (30,) * 7, "test": (300,) * 7},
        origin=Origin(
            "UCI, Image Segmentation (archive.ics.uci.edu/dataset/50), segmentation.data and segmentation.test; classes in the "
            "order BRICKFACE, SKY, FOLIAGE, CEMENT, WINDOW, PATH, GRASS",
            "05cc21c8e3d4316e11fb430b45300e8245968056d650088fd76a850e6ee5a31e",
        ),
    ),
    "glass": Known(  # OpenML's copy has other rows first
        9,
        {"all": (70, 76, 17, 13, 9, 29)},
        origin=Origin(
            "UCI, Glass Identification (archive.ics.uci.edu/dataset/42), glass.data without its first column, the row number",
            "bf1e71e26bb17cbc29bafb90e7cd7d03db0f87c5f0ee20715f590e081578e572",
        ),
    ),
    "iris": Known(4, {"all": (50,) * 3}, openml=61),
    "wine": Known(13, {"all": (59, 71, 48)}, openml=187),
    "svmguide4": Known(
        10,
        {"train": (53, 56, 56, 44, 44, 47), "test": (33, 60, 63, 55, 66, 35)},
        origin=Origin(
            "LIBSVM's multiclass data (csie.ntu.edu.tw/~cjlin/libsvmtools/datasets), svmguide4 and svmguide4.t, not scaled",
            "a7e01a5e9f62e68709ac4b7ae67b4b67eeffb0ce6500054f9ffe52010f5e57fc",
        ),
    ),
    # Copies with a part of the test file are common; no experiment reads it.
    "poker": Known(
        10,
        {"train": (12493, 10599, 1206, 513, 93, 54, 36, 6, 5, 5)},
        origin=Origin(
            "UCI, Poker Hand (archive.ics.uci.edu/dataset/158), poker-hand-training-true.data",
            "79de666e2a648f7501936edd744570784b0058d71317797ccaac93d13c937187",
        ),
    ),
    "heart": Known(
        13,
        {"all": (160, 54, 35, 35, 13)},
        origin=Origin(
            "UCI, Heart Disease (archive.ics.uci.edu/dataset/45), processed.cleveland.data without its six incomplete rows",
            "fda64c85ea468ac58ee58ef73574f5311e0b8f0b136e0463c5699dec557e24f1",
        ),
    ),
    "winequality-red": Known(11, {"all": (10, 53, 681, 638, 199, 18)}, openml=40691),
    "winequality-white": Known(11, {"all": (20, 163, 1457, 2198, 880, 175, 5)}, openml=40498),
    "sensorless2200": Known(
        48,
        {"all": (200,) * 11},
        origin=Origin(
            "a sample of UCI's Sensorless Drive Diagnosis (github.com/KIOS-Research/KIOS-Graduate-Summer-School-2018, "
            "material/diagnosis/dataset/X.npy and Y.npy)",
            "65a4e21383e75b9406f0ea1bee0586d77c60beaa030b8db53ab249e9c79da864",
        ),
    ),
}
