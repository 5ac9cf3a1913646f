"""The process that `builds` starts for each build of dagmar: it keeps the data of a set, and times what it is asked to.

It is run as a file by the interpreter of the build, so it imports nothing of the experiments. Each line that it reads is a
request in JSON, and it answers each with a line.
"""

from __future__ import annotations

import copy
import gc
import json
import pickle
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

ONE_ROW_CALLS = 200


def seconds_of(work: Callable[[], Any]) -> tuple[Any, float]:
    """The result of `work`, and how long it took."""
    start = time.perf_counter()
    result = work()
    return result, time.perf_counter() - start


def repeat(case: dict[str, Any], structures: list[str], fill: float, one_row: bool) -> dict[str, Any]:
    """Fit and predict until `fill` seconds have passed, at least once.

    Parameters
    ----------
    case : dict
        With X_train, y_train, X_test and the parameters of the SVC.
    structures : list of str
        Those to predict with. The model of each has no native form before its first call.
    fill : float
    one_row : bool
        Whether to time calls with a single row, too.

    Returns
    -------
    dict
        With seconds, the median of each kind of call, and labels, a list for each structure.
    """
    import dagmar

    X, y, X_test = case["X_train"], case["y_train"], case["X_test"]
    found, labels = defaultdict[str, list[float]](list), {}
    gc.collect()
    start = time.perf_counter()
    while not found or time.perf_counter() - start < fill:
        model, seconds = seconds_of(lambda: dagmar.SVC(**case["parameters"], structure="ddag").fit(X, y))
        found["fit"].append(seconds)
        for name in structures:
            one = copy.deepcopy(model).restructure(name, X, y)
            answers, seconds = seconds_of(partial(one.predict, X_test))
            found[f"predict {name}"].append(seconds)
            found[f"next {name}"].append(seconds_of(partial(one.predict, X_test))[1])
            labels[name] = answers.tolist()
            if one_row:
                rows = [X_test[i : i + 1] for i in range(min(ONE_ROW_CALLS, X_test.shape[0]))]
                one.predict(rows[0])
                calls = [seconds_of(partial(one.predict, row))[1] for row in rows]
                found[f"one row {name}"].append(median(calls))
    return {"seconds": {what: median(times) for what, times in found.items()}, "labels": labels}


def main() -> None:
    """Answer requests until there are no more."""
    case: dict[str, Any] = {}
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict[str, Any] = {}
        if "load" in request:
            case = pickle.loads(Path(request["load"]).read_bytes())
        else:
            answer = repeat(case, **request)
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    sys.path.pop(0)  # the folder of this file, whose modules have common names
    main()
