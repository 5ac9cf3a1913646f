"""The arithmetic of dagmar: training and deciding, in C++."""

import enum
from collections.abc import Callable
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

class Data:
    """Samples, dense or sparse, read in place."""

    @overload
    def __init__(self, x: NDArray[np.floating[Any]]) -> None: ...
    @overload
    def __init__(
        self,
        data: NDArray[np.float64],
        indices: NDArray[np.int32],
        indptr: NDArray[np.int32],
        n_features: int,
    ) -> None: ...

class KernelType(enum.Enum):
    linear = ...
    poly = ...
    rbf = ...
    sigmoid = ...
    precomputed = ...

class Kernel:
    def __init__(self, type: KernelType, gamma: float, coef0: float, degree: int) -> None: ...
    def error(self, norm2_x: float, norm2_z: float, n_features: int, unit: float) -> float:
        """Standard error of a value computed in arithmetic of this unit roundoff."""

class Level(enum.Enum):
    """Instruction sets, lowest first."""

    plain = ...
    avx2 = ...
    avx512 = ...

def best_level() -> Level:
    """The best instruction set of this processor."""

class Status(enum.IntEnum):
    converged = ...
    max_iter = ...
    imprecise = ...
    interrupted = ...

def train(
    x: Data,
    index: NDArray[np.int64],
    class_start: NDArray[np.int64],
    kernel: Kernel,
    centre: NDArray[np.float64] | None,
    single: bool,
    kernel_error: float,
    task_begin: NDArray[np.int64],
    task_class: NDArray[np.int32],
    task_side: NDArray[np.int8],
    cap: NDArray[np.float64],
    soft: NDArray[np.float64] | None,
    tol: float,
    max_iter: int,
    memory: float,
    n_threads: int,
    small: bool,
    level: Level,
    task_gamma: NDArray[np.float64] | None = None,
    task_scale: NDArray[np.float64] | None = None,
    start: NDArray[np.int32] | None = None,
    ratio: NDArray[np.float64] | None = None,
    outside: bool = False,
    finished: Callable[[dict[str, Any]], object] | None = None,
) -> dict[str, Any]:
    """Solve one box-constrained problem per task and row of `cap`, in parallel; a dict of arrays, one entry per machine.

    The machines of a task, one per row of `cap`, stand next to each other. A row may start from an earlier one, `start`,
    whose caps are `ratio` times smaller. With `outside`, "outside" has the values of each machine on samples of cap 0.
    `finished` is called now and then, and at the end, by the calling thread with the machines that ended since its last
    call, as such a dict with their places as "task". What it raises stops the training.
    """

def single_error(
    x: Data,
    index: NDArray[np.int64],
    asked: NDArray[np.int32],
    kernel: Kernel,
    centre: NDArray[np.float64] | None,
    level: Level,
) -> float:
    """Root mean square difference of kernel values in single and double precision, in the worst of the rows asked for."""

def class_similarity(
    x: Data,
    index: NDArray[np.int64],
    class_start: NDArray[np.int64],
    weight: NDArray[np.float64],
    kernel: Kernel,
    centre: NDArray[np.float64] | None,
    single: bool,
    n_threads: int,
    level: Level,
) -> NDArray[np.float64]:
    """Sums of kernel values between every two classes."""

class Rule(enum.Enum):
    """Who meets whom in a knockout."""

    fewest_losses = ...
    ranked = ...
    bracket = ...
    everyone = ...

class Plan:
    @staticmethod
    def graph(
        n_classes: int,
        root: int,
        machine: NDArray[np.int64],
        on_negative: NDArray[np.int64],
        on_positive: NDArray[np.int64],
        list_begin: NDArray[np.int64],
        list_class: NDArray[np.int32],
        machine_of: NDArray[np.int64],
        unanimous: bool,
    ) -> Plan: ...
    @staticmethod
    def knockout(
        n_classes: int,
        rule: Rule,
        machine_of: NDArray[np.int64],
        order: NDArray[np.int32],
        rivals: NDArray[np.int32],
    ) -> Plan: ...
    @staticmethod
    def poll(n_classes: int) -> Plan: ...

class Walks:
    """A graph or knockout plan followed for many samples at once, by machines of any kind."""

    def __init__(self, plan: Plan, n_samples: int) -> None: ...
    def next(self) -> NDArray[np.int64]:
        """The machine each sample asks for, -1 where its answer is found."""

    def tell(self, positive: NDArray[np.bool_]) -> None:
        """Whether each sample's value was zero or more; ignored where it is done."""

    def answers(self) -> NDArray[np.int32]: ...

class Machines:
    """Machines over a pool of vectors, ready to decide."""

    def __init__(
        self,
        pool: Data | None,
        columns: NDArray[np.int64],
        class_start: NDArray[np.int64],
        begin: NDArray[np.int64],
        index: NDArray[np.int32],
        coef: NDArray[np.float64],
        bias: NDArray[np.float64],
        kernel: Kernel,
        centre: NDArray[np.float64] | None,
        single: bool,
        level: Level,
        gammas: NDArray[np.float64] | None = None,
    ) -> None: ...
    def values(self, x: Data, ranked: bool, n_threads: int) -> NDArray[np.float64]: ...
    def decide(self, x: Data, plan: Plan, n_threads: int) -> NDArray[np.int32]: ...
    def trace(
        self, x: Data, plan: Plan, n_threads: int
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]: ...
    def distinct_vectors(self, begin: NDArray[np.int64], machines: NDArray[np.int64]) -> NDArray[np.int64]: ...
