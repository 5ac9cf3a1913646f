"""Python in a child process, where a crash or a hang ends only the child."""

import os
import subprocess
import sys
import textwrap
import traceback
import warnings
from pathlib import Path

import pytest

try:
    import resource
except ImportError:  # Windows
    resource = None

HERE = Path(__file__).parent
# What not every system has.
FORKS = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
SIGNALS = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
PERMISSIONS = pytest.mark.skipif(os.name == "nt", reason="Windows has other permissions of files")
MEMORY_IN_USE = pytest.mark.skipif(sys.platform != "linux", reason="memory in use is read from /proc")
# How many times slower everything is than usual: sanitizers and emulators set it.
SLOWER = int(os.environ.get("DAGMAR_SLOWER", "1"))
SECONDS = 60.0 * SLOWER


def run_child(code, *arguments, timeout=SECONDS, stack=None):
    """Run code in a child and return what it ended with; `stack` is the bytes of address space of each of its threads."""
    # The dagmar that this process imports must be the child's, too: `make mutants` tests a copy.
    path = os.pathsep.join(filter(None, [str(HERE), os.environ.get("PYTHONPATH")]))
    if resource is None and stack is not None:
        pytest.skip("this system does not limit stacks")
    if LEAVE_MEMORY in code and sys.platform != "linux":
        pytest.skip("memory in use is read from /proc")

    def set_limits():
        hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
        resource.setrlimit(resource.RLIMIT_STACK, (stack, hard))

    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        preexec_fn=None if stack is None else set_limits,
        env={**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"},
        check=False,
    )


def output_of(code, *arguments, **options):
    """Return what the code prints in a child that ends well."""
    ended = run_child(code, *arguments, **options)
    assert ended.returncode == 0, f"ended with {ended.returncode}: {ended.stderr[-2000:]}"
    return ended.stdout


# Allows the process this much more address space than it has now.
LEAVE_MEMORY = """
import resource

def leave_memory(n_bytes):
    pages = int(open("/proc/self/statm").read().split()[0])
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + n_bytes, hard))
"""


def run_forked(code, cpu_seconds=15):
    """Run code in a fork of this process, where everything is imported already; return what it prints.

    A crash, an exception or more seconds of processor time than allowed fails the assertion.
    """
    if not hasattr(os, "fork"):
        pytest.skip("this system has no fork")
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads, which the child does not use
        pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(reader)
            resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds * SLOWER, cpu_seconds * SLOWER))
            with os.fdopen(writer, "w") as sys.stdout:
                try:
                    exec(code, {})
                    status = 0
                except BaseException:
                    traceback.print_exc(file=sys.stdout)
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        printed = pipe.read()
    _, ended = os.waitpid(pid, 0)
    assert ended == 0, f"ended with {os.waitstatus_to_exitcode(ended)}: {printed[-2000:]}"
    return printed
