"""A child process: reads one case per line, runs it, and writes one line with its outcome.

The child imports everything once and then forks a worker. If a case kills the worker, the child runs the case again in a new
worker, so that it is not blamed for what an earlier case did, and reports the signal. A fork takes milliseconds.
"""

from __future__ import annotations

import faulthandler
import os
import resource
import signal
import sys
from dataclasses import asdict
from types import ModuleType
from typing import Any

import numpy as np

from . import cases, files, fits, model_files, models

KINDS: dict[str, ModuleType] = {"fits": fits, "models": models, "files": files, "model_files": model_files}
MEMORY = 6 * 2**30
# The limit of a case is one of processor time, so that it does not depend on what else runs. For a case that waits instead of
# computing, it is this many times as long by the clock.
WAIT = 6


def make_case(kind: str, seed: int, number: int) -> dict[str, Any]:
    """Return case `number` of a run; it depends on nothing else."""
    case: dict[str, Any] = KINDS[kind].make_case(np.random.default_rng([seed, number, sorted(KINDS).index(kind)]))
    return case


def run_order(order: dict[str, Any]) -> cases.Outcome:
    """Run the case of an order."""
    case = order["case"] if "case" in order else make_case(order["kind"], order["seed"], order["number"])
    try:
        outcome: cases.Outcome = KINDS[order["kind"]].run_case(case)
    except Exception as error:  # a check went wrong: this must be seen, too
        outcome = cases.Outcome("exception", f"in the check: {type(error).__name__}: {error}"[:300])
    return outcome


class Worker:
    """A fork of this process that runs cases. The kernel ends it when one takes too long, even inside native code."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        order_out, order_in = os.pipe()
        answer_out, answer_in = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(order_in)
            os.close(answer_out)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            with os.fdopen(order_out) as orders, os.fdopen(answer_in, "w") as answers:
                for line in orders:
                    signal.setitimer(signal.ITIMER_PROF, limit)
                    signal.setitimer(signal.ITIMER_REAL, WAIT * limit)
                    outcome = run_order(cases.loads(line))
                    signal.setitimer(signal.ITIMER_PROF, 0)
                    signal.setitimer(signal.ITIMER_REAL, 0)
                    print(cases.dumps(asdict(outcome)), file=answers, flush=True)
            os._exit(0)
        os.close(order_out)
        os.close(answer_in)
        self.orders, self.answers = os.fdopen(order_in, "w"), os.fdopen(answer_out)

    def run(self, line: str) -> tuple[cases.Outcome, bool]:
        """Return the outcome of an order, and whether the worker lives."""
        self.orders.write(line)
        self.orders.flush()
        answer = self.answers.readline()
        if answer:
            return cases.Outcome(**cases.loads(answer)), True
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        if code in (-signal.SIGALRM, -signal.SIGPROF):
            return cases.Outcome("hang", f"more than {self.limit:g} s"), False
        return cases.Outcome("signal", signal.Signals(-code).name if code < 0 else f"exit code {code}"), False


def main() -> None:
    """Pass orders to a worker until the input ends."""
    limit = float(sys.argv[1])
    if "DAGMAR_SANITIZED" not in os.environ:  # sanitizers reserve terabytes of addresses
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the library prints must not be read as an outcome
    for number in range(len(models.BASES)):
        models.base(number)
    faulthandler.enable()
    worker, used = Worker(limit), False
    for line in sys.stdin:
        outcome, lives = worker.run(line)
        if not lives:
            if outcome.kind == "signal" and used and not Worker(limit).run(line)[0].failed:
                outcome.detail += ", but not alone: an earlier case has damaged the memory of this worker"
            worker, used = Worker(limit), False
        else:
            used = True
        print(cases.dumps(asdict(outcome)), file=out, flush=True)


if __name__ == "__main__":
    main()
