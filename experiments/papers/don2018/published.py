"""What the paper prints."""

from __future__ import annotations

THETAS = ("2", "1", "0.1", "0.01")  # percent, as the tables head their columns

# Table 1: purity and balance of each machine on glass at theta 0; every score is 100 %.
GLASS = (1, 2, 3, 5, 6, 7)  # its labels
TABLE1 = {
    (1, 2): (0, 1),
    (1, 3): (4, 1),
    (1, 5): (3, 1),
    (1, 6): (3, 1),
    (1, 7): (3, 1),
    (2, 3): (3, 1),
    (2, 5): (1, 2),
    (2, 6): (3, 1),
    (2, 7): (2, 1),
    (3, 5): (2, 1),
    (3, 6): (1, 1),
    (3, 7): (3, 1),
    (5, 6): (0, 2),
    (5, 7): (0, 2),
    (6, 7): (4, 1),
}
# Table 2: the same of the machines of the four classes on the left of the root, over these.
LEFT = (1, 2, 3, 5)
TABLE2 = {(1, 2): (0, 1), (1, 3): (2, 1), (1, 5): (1, 1), (2, 3): (1, 1), (2, 5): (0, 1), (3, 5): (2, 1)}
ROOT = (5, 6)
SECOND = (1, 2)
SCORE = 100  # percent, of every machine in both tables
# Figure 2: the entries that the text quotes, in percent.
FIGURE2 = {"C12(1,1)": "100", "C12(1,2)": "0", "C16(2,1)": "91.8", "C16(2,6)": "8.2"}
UNDECIDED_16 = (2, 5, 7)  # at theta 5 %
BALANCE_5 = {(1, 2): 1, (5, 6): 2}
DECIDED = 58  # cells at theta 2 %
CELLS_AS_PRINTED, PERCENT_AS_PRINTED = 80, "72.5"  # of 15 x 6 cells, which are 90

# Table 3: classes of each set.
CLASSES = {
    "artificial": 6,
    "iris": 3,
    "segmentation": 7,
    "heart": 5,
    "wine": 3,
    "wine-quality": 6,
    "glass": 6,
    "covertype": 7,
    "svmguide4": 6,
    "vowel": 11,
    "usps": 10,
    "letter": 26,
    "poker": 10,
    "sensorless": 11,
}

# Table 4: accuracy in percent of the built-in method, of one-versus-one, and of DCSVM for the four thetas.
ACCURACY = {
    "artificial": (98.85, 98.76, 98.70, 98.70, 98.76, 98.76),
    "iris": (96.97, 96.97, 96.97, 96.97, 96.97, 96.97),
    "segmentation": (27.71, 27.71, 29.44, 29.44, 29.44, 29.44),
    "heart": (58.82, 58.82, 59.12, 59.12, 59.12, 59.12),
    "wine": (96.97, 96.97, 96.97, 96.97, 96.97, 96.97),
    "wine-quality": (62.33, 62.33, 62.39, 62.39, 62.39, 62.39),
    "glass": (87.55, 91.70, 91.29, 91.29, 91.29, 91.29),
    "covertype": (49.95, 49.95, 49.95, 49.95, 49.95, 49.95),
    "svmguide4": (57.88, 71.21, 72.73, 72.73, 72.73, 72.73),
    "vowel": (94.34, 97.26, 97.26, 97.26, 97.26, 97.26),
    "usps": (94.17, 93.94, 93.89, 94.08, 94.17, 94.17),
    "letter": (95.25, 96.43, 95.52, 96.00, 96.41, 96.41),
    "poker": (55.94, 55.96, 55.56, 55.83, 55.96, 55.96),
    "sensorless": (97.46, 98.87, 98.32, 98.60, 98.86, 98.87),
}
METHODS = ("BI", "OvsO", *THETAS)

# Table 5: machines consulted per decision, for the four thetas.
STEPS = {
    "artificial": (3.76, 3.75, 3.67, 3.67),
    "iris": (1.71, 1.71, 1.71, 1.71),
    "segmentation": (5.63, 5.63, 5.63, 5.63),
    "heart": (4.00, 4.00, 4.00, 4.00),
    "wine": (1.69, 1.69, 1.69, 1.69),
    "wine-quality": (4.85, 4.86, 4.87, 4.87),
    "glass": (4.09, 4.12, 4.12, 4.12),
    "covertype": (5.93, 5.93, 5.93, 5.93),
    "svmguide4": (4.63, 4.88, 4.88, 4.88),
    "vowel": (5.41, 5.41, 5.41, 5.41),
    "usps": (7.16, 7.29, 7.80, 7.80),
    "letter": (17.63, 19.56, 22.29, 22.29),
    "poker": (8.36, 8.40, 8.43, 8.43),
    "sensorless": (5.44, 5.49, 6.28, 6.93),
}

# Table 6: support vectors per decision, summed over the machines consulted, for the four thetas.
VECTORS = {
    "artificial": (115.17, 117.29, 127.22, 127.22),
    "iris": (32.47, 32.47, 32.47, 32.47),
    "segmentation": (305.49, 305.49, 305.49, 305.49),
    "heart": (270.18, 270.18, 270.18, 270.18),
    "wine": (66.41, 66.41, 66.41, 66.41),
    "wine-quality": (1154.49, 1155.55, 1157.13, 1157.13),
    "glass": (112.14, 114.37, 114.37, 114.37),
    "covertype": (4528.47, 4528.47, 4528.47, 4528.47),
    "svmguide4": (236.58, 245.71, 245.71, 245.71),
    "vowel": (218.36, 218.36, 218.36, 218.36),
    "usps": (785.21, 798.41, 846.84, 846.84),
    "letter": (2822.54, 3110.42, 3307.19, 3307.19),
    "poker": (22166.49, 22735.92, 22803.01, 22807.62),
    "sensorless": (2977.89, 3057.77, 3404.91, 3735.30),
}

ALL_SENSORLESS = 58509  # rows of the whole set
STEP_OF_VOWEL = (2.3, 3.0)  # percent: between these Figure 10 rises for vowel


def totals_that_fit(values: tuple[float, ...], low: int, high: int) -> list[int]:
    """Numbers of answers of which all these percentages can be whole parts, rounded to two decimals.

    Parameters
    ----------
    values : tuple of float
        Percentages, as printed.
    low, high : int
        The numbers to try, both included.

    Returns
    -------
    list of int

    Examples
    --------
    >>> from experiments.papers.don2018.published import totals_that_fit
    >>> totals_that_fit((27.71, 29.44), 100, 300)
    [231]
    """
    return [
        n for n in range(low, high + 1) if all(abs(round(v * n / 100) * 100 / n - v) <= 0.005 + 1e-9 for v in values)
    ]
