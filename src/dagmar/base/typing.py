"""Type aliases for arrays."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Index: TypeAlias = NDArray[np.int64]
Labels: TypeAlias = NDArray[Any]
# Validated samples: a 2-D float array, or a CSR matrix of floats. SciPy's sparse types differ between its versions.
Features: TypeAlias = Any
