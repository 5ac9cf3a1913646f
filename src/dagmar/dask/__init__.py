"""Dagmar on a Dask cluster: training, searching and predicting beyond one machine.

It needs the extra: ``pip install "dagmar[dask]"``.
"""

from importlib.util import find_spec

if missing := [name for name in ("dask", "distributed") if find_spec(name) is None]:
    raise ImportError(f'dagmar.dask needs {" and ".join(missing)}: pip install "dagmar[dask]"')

from .predicting import decision_function, predict, predict_proba
from .sharded import ShardedModel
from .sharded_training import train_sharded
from .svc import SVC
from .svccv import SVCCV

__all__ = ["SVC", "SVCCV", "ShardedModel", "decision_function", "predict", "predict_proba", "train_sharded"]
