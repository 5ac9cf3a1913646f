"""The arithmetic of dagmar: training and deciding, in C++."""

import enum
from collections.abc import Callable, Sequence
from typing import overload

import numpy
import numpy.dtypes
from numpy.typing import NDArray

class Data:
    """Samples, dense or sparse, read in place."""

    @overload
    def __init__(self, x: NDArray[numpy.float64]) -> None: ...
    @overload
    def __init__(self, x: NDArray[numpy.float32]) -> None: ...
    @overload
    def __init__(
        self, data: NDArray[numpy.float64], indices: NDArray[numpy.int32], indptr: NDArray[numpy.int32], n_features: int
    ) -> None: ...

class KernelType(enum.Enum):
    """Kernel functions."""

    linear = 0
    poly = 1
    rbf = 2
    sigmoid = 3
    precomputed = 4
    laplacian = 5
    chi2 = 6
    tanimoto = 7

class Kernel:
    """A kernel with every number filled in.

    Where machines have gammas of their own, `gamma` is the largest of them. `scale` is a power of
    two by which samples are multiplied where they are loaded; it changes no value. With
    `by_differences`, training computes distances from differences of samples.
    """

    def __init__(
        self,
        type: KernelType,
        gamma: float,
        coef0: float,
        degree: int,
        scale: float = 1.0,
        by_differences: bool = False,
    ) -> None: ...
    def errors(self, norm2: float, n_features: int) -> tuple[float, float]:
        """Estimated standard errors of a value in single and in double precision, for samples of squared norms up
        to `norm2`.
        """

    def largest(self, norm2: float) -> float:
        """The largest absolute value, for samples of squared norms up to `norm2`."""

class Precision(enum.Enum):
    """What kernel values are computed in."""

    single = 0
    double = 1

class Level(enum.Enum):
    """Instruction sets, lowest first."""

    plain = 0
    avx2 = 1
    avx512 = 2

def best_level() -> Level:
    """The best instruction set of this processor."""

class Problem:
    """Training samples in class order, and the kernel between them.

    `order` lists samples of `x`; `class_start` says where each class begins in it, and ends with
    its length. `centre` is subtracted from dense samples before the kernel sees them.
    `kernel_error` and `double_error` are the standard errors of a kernel value in single and double
    precision. `common` are the common features of sparse samples, if it is part of a larger problem.
    `codes` says which features of dense samples are multiples of one step, if any: of each, where
    its code is 0, the codes per unit (0 if it has none), and the highest code (-1 if it has none).
    `norms` are those of all samples of `x`: equal samples of a class are found by them, and trained as one.
    """

    def __init__(
        self,
        *,
        x: Data,
        order: NDArray[numpy.int64],
        class_start: NDArray[numpy.int64],
        kernel: Kernel,
        centre: NDArray[numpy.float64] | None = None,
        precision: Precision = Precision.double,
        kernel_error: float = 0.0,
        double_error: float = 0.0,
        common: NDArray[numpy.int32] | None = None,
        codes: NDArray[numpy.float64] | None = None,
        norms: NDArray[numpy.float64] | None = None,
    ) -> None: ...

class SortedLabels:
    """Samples sorted by class."""

    @property
    def labels(self) -> NDArray[numpy.int64]:
        """The distinct labels, ascending."""

    @property
    def class_index(self) -> NDArray[numpy.int64]:
        """The place of each sample's label in `labels`."""

    @property
    def order(self) -> NDArray[numpy.int64]:
        """The samples, class by class; within a class in their given order."""

    @property
    def class_start(self) -> NDArray[numpy.int64]:
        """Where each class begins in `order`; ends with the number of samples."""

def sort_labels(y: NDArray[numpy.int64]) -> SortedLabels | None:
    """Sort samples by their labels; None if the labels have a wider range than there are samples."""

def common_features(
    features: NDArray[numpy.int32], counts: NDArray[numpy.int64], class_start: NDArray[numpy.int64]
) -> NDArray[numpy.int32]:
    """Which of the features that occur in sparse samples are common, as `Problem` takes them.

    `counts` has the number of samples of each feature; the features ascend.
    """

def usual_centre(x: Data, every: int, mean: NDArray[numpy.float64]) -> NDArray[numpy.float64] | None:
    """The value that each feature has in many samples, or else its mean; every `every`-th sample is read. None if
    centring on it would give too few zeros to skip, or samples far from the origin.
    """

def common_step(x: Data, every: int) -> tuple[float, NDArray[numpy.float64]]:
    """The step that most features of every `every`-th sample have in common, 0 if there is none; and for each
    feature a value, the anchor, that others should be a whole number of steps from.
    """

def survey(
    x: Data, anchor: NDArray[numpy.float64], step: float, n_threads: int, level: Level
) -> NDArray[numpy.float64]:
    """For each feature of dense samples: the lowest and the highest value, and how far a value is from a whole
    number of steps from `anchor` at most, in steps; 0 for values that were rounded to single precision. Three
    arrays, one after the other.
    """

def choose_codes(
    x: Data,
    every: int,
    survey: NDArray[numpy.float64],
    anchor: NDArray[numpy.float64],
    step: float,
    centre: NDArray[numpy.float64] | None,
    differences: bool = False,
) -> NDArray[numpy.float64] | None:
    """The `codes` of a problem from the `survey` of all samples; every `every`-th of `x` shows how many zeros
    there are. None if codes would not save time. `differences`: for sums of |x - z|, not of products.
    """

def finite_samples(x: object, n_threads: int) -> bool:
    """Whether x is an array that `Data` accepts as dense samples, is not empty, and has only finite numbers."""

def squared_norms(x: Data, centre: NDArray[numpy.float64] | None, n_threads: int) -> NDArray[numpy.float64]:
    """Squared norms of dense samples after `centre`, if there is one, is subtracted; in double precision."""

def column_sums(x: Data, n_threads: int) -> NDArray[numpy.float64]:
    """Sums of the features of dense samples in double precision: sums of blocks of `BLOCK_ROWS` rows, added in
    order. They have the same bits for any number of threads.
    """

def sum_of_values(x: Data) -> float:
    """Sum of all numbers of dense samples in double precision."""

def sum_of_squares(x: Data, mean: float) -> float:
    """Sum of the squares of what the numbers of dense samples differ from `mean`, in double precision."""

def mostly_zeros(x: Data, every: int, kernel: KernelType) -> bool:
    """Whether so many values of every `every`-th of dense samples are zero that samples of a kernel that skips
    zeros, if they have more than `DENSE_NUMBERS` values, are handled as sparse ones.
    """

class Nonzeros:
    """The nonzeros of dense samples, in the form of sparse ones."""

    @property
    def data(self) -> NDArray[numpy.float64]: ...
    @property
    def indices(self) -> NDArray[numpy.int32]: ...
    @property
    def indptr(self) -> NDArray[numpy.int32]: ...

def nonzeros(x: Data, n_threads: int) -> Nonzeros:
    """The nonzeros of dense samples."""

def largest_of_rows(x: Data, n_threads: int) -> NDArray[numpy.float64]:
    """The largest absolute number of each dense sample; infinity if one of its numbers is infinite or NaN."""

DENSE_NUMBERS: int = 262144
BLOCK_ROWS: int = 4096
FEW_NONZEROS: float = 0.35

class RowsWay(enum.IntEnum):
    """How the kernel rows of a machine were made available."""

    small = 0
    kept = 1
    streamed = 2

class Status(enum.IntEnum):
    """How the solver ended."""

    converged = 0
    max_iter = 1
    imprecise = 2
    interrupted = 3
    stalled = 4
    not_finite = 5
    unbounded = 6

MACHINE_RECORD: numpy.dtypes.VoidDType = ...

class TrainedMachines:
    """Machines as training leaves them."""

    @property
    def tasks(self) -> NDArray[numpy.int64]:
        """The tasks of the call that have ended; their machines follow in this order."""

    @property
    def begin(self) -> NDArray[numpy.int64]:
        """Machine m has samples ``sample[begin[m]:begin[m+1]]`` of the problem's order."""

    @property
    def sample(self) -> NDArray[numpy.int32]:
        """Ascending within a machine."""

    @property
    def coef(self) -> NDArray[numpy.float64]:
        """Of each entry of `sample`."""

    @property
    def machines(self, /) -> NDArray[numpy.void]:
        """One record per machine: `bias`; `objective`, the dual objective; `norm2`, the squared norm of the weight
        vector in kernel space; `gap`, the KKT gap that is compared with `tol`; `seconds`; `iterations` of the
        solver; `rows_computed` and `rows_reused`, kernel rows computed, and asked for again while available;
        `status`, a `Status` as a number; `refined`, whether scores or the whole machine were computed in double
        precision; `in_double`, whether the machine was solved again in double precision; `indefinite`, whether
        a step met a negative curvature, because the kernel matrix is not positive semi-definite.
        """

    @property
    def outside_begin(self) -> NDArray[numpy.int64]:
        """Where the values of each machine begin in `outside`."""

    @property
    def outside(self) -> NDArray[numpy.float64]:
        """Values on samples of cap 0, if the settings asked for them."""

class Tasks:
    """Binary questions: task t asks ``classes[begin[t]:begin[t+1]]``, each with side +1 or -1.

    The caps of a task's samples are multiplied by its `C`; its `gamma` replaces the kernel's.
    """

    def __init__(
        self,
        *,
        begin: NDArray[numpy.int64],
        classes: NDArray[numpy.int32],
        sides: NDArray[numpy.int8],
        C: NDArray[numpy.float64] | None = None,
        gamma: NDArray[numpy.float64] | None = None,
    ) -> None: ...

class Variants:
    """Problems that differ in their caps: row v of `cap` has the caps of all samples.

    Variant v may start from an earlier one, ``start[v]``, whose caps are ``ratio[v]`` times
    smaller; -1 for none.
    """

    def __init__(
        self,
        *,
        cap: NDArray[numpy.float64],
        start: NDArray[numpy.int32] | None = None,
        ratio: NDArray[numpy.float64] | None = None,
    ) -> None: ...

class TrainSettings:
    """The settings of a training, apart from the problem.

    `memory` is bytes for kernel rows. Of `n_threads` threads, as many work as the work is
    worth: `per_thread` of it for each, as the sum of the squared numbers of samples of all
    tasks. With `outside`, machines keep their values on samples of cap 0. `rows`, `active_part` and
    `duplicates` replace the core's own choices where they are given, so that tests reach every way.
    """

    def __init__(
        self,
        *,
        tol: float,
        max_iter: int,
        memory: float,
        n_threads: int,
        per_thread: float = 0.0,
        level: Level,
        outside: bool = False,
        rows: RowsWay | None = None,
        active_part: bool | None = None,
        duplicates: bool | None = None,
    ) -> None: ...

def train(
    problem: Problem,
    tasks: Tasks,
    variants: Variants,
    settings: TrainSettings,
    soft: NDArray[numpy.float64] | None = None,
    finished: Callable[[TrainedMachines], object] | None = None,
) -> TrainedMachines:
    """Solve one box-constrained problem per task and variant, in parallel.

    The machines of a task, one per variant, stand next to each other. `soft` has the soft labels of each task's
    samples, one task after the other. `finished` is called now and then, and at the end, by the calling thread
    with the machines that ended since its last call (with several variants, only with their tasks). What it
    raises stops the training.
    """

def pool(
    sample: NDArray[numpy.int32], order: NDArray[numpy.int64], class_start: NDArray[numpy.int64]
) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.int32]]:
    """The samples of `order` that lists of machines name, in that order; where each class begins among them; the
    place of each entry of the lists among them.
    """

def class_similarity(
    problem: Problem, weight: NDArray[numpy.float64], n_threads: int, level: Level
) -> NDArray[numpy.float64]:
    """Sums of weighted kernel values between every two classes."""

def single_error(problem: Problem, rows: NDArray[numpy.int32], n_threads: int, level: Level) -> float:
    """The largest difference between kernel values in single and in double precision, in these rows. The problem
    has one class, and `rows` are places in its order.
    """

ALLOWED_ERRORS: float = 6.0

class Rule(enum.Enum):
    """Which classes meet next in a knockout."""

    fewest_losses = 0
    ranked = 1
    bracket = 2
    everyone = 3

class Plan:
    """How the machines of a bank are consulted."""

    @staticmethod
    def graph(
        *,
        n_classes: int,
        root: int,
        machine: NDArray[numpy.int64],
        on_negative: NDArray[numpy.int64],
        on_positive: NDArray[numpy.int64],
        list_begin: NDArray[numpy.int64],
        list_classes: NDArray[numpy.int32],
        machine_of: NDArray[numpy.int64],
        unanimous: bool,
    ) -> Plan: ...
    @staticmethod
    def knockout(
        *,
        n_classes: int,
        rule: Rule,
        machine_of: NDArray[numpy.int64],
        order: NDArray[numpy.int32],
        rivals: NDArray[numpy.int32],
    ) -> Plan: ...
    @staticmethod
    def poll(n_classes: int) -> Plan: ...
    def check(self, n_classes: int, n_machines: int) -> None:
        """Raise ValueError unless a bank with these numbers of classes and machines has what the plan asks for."""

class Walks:
    """A graph or knockout plan followed for many samples at once, by machines of any kind."""

    def __init__(self, plan: Plan, n_samples: int) -> None: ...
    def next(self) -> NDArray[numpy.int64]:
        """The machine each sample asks for, -1 where its answer is found."""

    def tell(self, positive: NDArray[numpy.bool_]) -> None:
        """Whether each sample's value was zero or more; ignored for samples whose answer is found."""

    def answers(self) -> NDArray[numpy.int32]:
        """The class found for each sample."""

class Bank:
    """Machines over a pool of vectors.

    Machine m has vectors ``index[begin[m]:begin[m+1]]``, ascending, with coefficients `coef`. The
    vectors are grouped by class, from `class_start`. For a precomputed kernel there are none, and
    `support` has their columns in a kernel row. With `gammas`, each vector has its own.
    """

    def __init__(
        self,
        *,
        vectors: Data | None,
        support: NDArray[numpy.int64],
        class_start: NDArray[numpy.int64],
        begin: NDArray[numpy.int64],
        index: NDArray[numpy.int32],
        coef: NDArray[numpy.float64],
        bias: NDArray[numpy.float64],
        kernel: Kernel,
        centre: NDArray[numpy.float64] | None = None,
        precision: Precision = Precision.double,
        gammas: NDArray[numpy.float64] | None = None,
    ) -> None: ...

class DecisionPath:
    """The machines consulted for each sample, in order, with their values."""

    @property
    def begin(self) -> NDArray[numpy.int64]:
        """Sample i has places ``begin[i]:begin[i+1]`` of the lists."""

    @property
    def machines(self) -> NDArray[numpy.int64]: ...
    @property
    def values(self) -> NDArray[numpy.float64]: ...
    @property
    def answers(self) -> NDArray[numpy.int64]:
        """The class at the end of each path."""

class Decider:
    """A bank, ready to decide. Many threads may use one."""

    def __init__(self, bank: Bank, level: Level) -> None: ...
    def prepare(self, n_threads: int) -> None:
        """Does now what the first of the other calls would do before."""

    def values(self, x: Data, ranked: bool, n_threads: int) -> NDArray[numpy.float64]:
        """The value of every machine. With `ranked`, the order of the largest is certain too."""

    def probabilities(
        self,
        x: Data,
        slope: NDArray[numpy.float64],
        offset: NDArray[numpy.float64],
        machine: NDArray[numpy.int64],
        n_threads: int,
    ) -> NDArray[numpy.float64]:
        """The probability of each class: sigmoids of the values of all pairs, coupled.

        `machine` names the machine of each pair, in the order (0, 1), (0, 2), ...; slope and offset are those of
        the sigmoid of each machine.
        """

    def decide(self, x: Data, plan: Plan, out: NDArray[numpy.int64], n_threads: int) -> None:
        """Writes the class of each sample to `out`."""

    def trace(self, x: Data, plan: Plan, n_threads: int) -> DecisionPath:
        """The path of each sample."""

    def choices(self, plan: Plan | None, n_samples: int, n_threads: int) -> list[str]:
        """How `decide` goes about this many samples, or `values` if there is no plan, in words."""

    def distinct_vectors(self, begin: NDArray[numpy.int64], machines: NDArray[numpy.int64]) -> NDArray[numpy.int64]:
        """The number of distinct vectors in the machines of each path."""

def add_votes(
    values: NDArray[numpy.float64], n_classes: int, n_threads: int
) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    """The votes of each class, and the sum of its values, from the values of all pairs.

    A positive value is for the later class of a pair. Values are added pair after pair.
    """

SAMPLES_AT_ONCE: int = 128

def fit_sigmoids(
    begin: NDArray[numpy.int64],
    value: NDArray[numpy.float64],
    positive: NDArray[numpy.bool_],
    weight: NDArray[numpy.float64],
    level: Level,
    n_threads: int,
) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    """Slope and offset of the sigmoid of each machine, which has the held-out values ``begin[m]:begin[m+1]``."""

def couple(later: NDArray[numpy.float64], n_classes: int, level: Level, n_threads: int) -> NDArray[numpy.float64]:
    """Probabilities of the classes, from those of the later class of each pair (Wu, Lin & Weng, second method)."""

class Footing:
    """What the error of scores follows from."""

    def __init__(self, reach: float, since: float, refined: bool, drift2: float, sum: float = 0.0) -> None: ...

class Accuracy:
    """How accurate scores are, and whether that is enough for `tol`; for tests."""

    def __init__(
        self, tol: float, kernel_error: float, finer_error: float, largest: float, measurable: bool = False
    ) -> None: ...
    def must_measure(self, arg0: Footing, arg1: int, /) -> bool: ...
    def measured(self, footing: Footing, difference: float, spread: float) -> None: ...
    def rounding(self, arg: Footing, /) -> float: ...
    def lost(self, arg: Footing, /) -> float: ...
    def hidden(self, arg: Footing, /) -> float: ...
    def stale(self, arg: Footing, /) -> bool: ...
    def too_coarse(self, arg: Footing, /) -> bool: ...
    def far_too_coarse(self, arg: Footing, /) -> bool: ...

class Progress:
    """Whether the solver still gets anywhere; for tests."""

    def __init__(self) -> None: ...
    def window_ends(self, arg: int, /) -> bool: ...
    def goes_on(self, arg0: float, arg1: float, arg2: float, arg3: float, /) -> bool: ...
    def moves(self, arg: bool, /) -> bool: ...
    def starts_anew(self, arg0: float, arg1: float, arg2: float, /) -> bool: ...

class SolverParts:
    """Scores and working set over a kernel matrix, step by step; for tests."""

    def __init__(
        self,
        kernel: NDArray[numpy.float64],
        sign: NDArray[numpy.float64],
        target: NDArray[numpy.float64],
        cap: NDArray[numpy.float64],
        lam: NDArray[numpy.float64],
        working: int,
        level: Level,
    ) -> None: ...
    def extremes(self) -> tuple[float, float]: ...
    def refresh(self) -> tuple[float, float]: ...
    def move(self, places: Sequence[int], to: Sequence[float]) -> tuple[float, float]: ...
    @property
    def values(self) -> NDArray[numpy.float64]: ...
    @property
    def lam(self) -> NDArray[numpy.float64]: ...
    def may_move(self, place: int) -> tuple[bool, bool]: ...
    def violation(self, place: int) -> float: ...
    @property
    def reach(self) -> float: ...
    def select(self, goal: float) -> list[int]: ...
    def solve(self, goal: float, most: int) -> tuple[int, list[int], list[float]]: ...
    def free_step(self, round: int) -> list[float] | None: ...
    def active(self, least: int, most: int, round: int) -> list[int]: ...
