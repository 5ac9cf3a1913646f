"""The commands with their arguments, and how they end. What they do is in the other modules, which are loaded when needed."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from .errors import INTERRUPTED, Failed, Misuse

KERNELS = ("linear", "poly", "rbf", "sigmoid", "laplacian", "chi2", "tanimoto")
STRUCTURES = (
    "max_wins",
    "and_gate",
    "one_vs_rest",
    "ddag",
    "adaptive_ddag",
    "bracket",
    "divide_and_conquer",
    "fisher_tree",
    "centered_tree",
)
FORMATS = ("csv", "parquet", "npz", "svmlight")
MODELS = ("dagmar", "model", "onnx")
SCALES = ("standard", "minmax", "robust", "power", "ranks", "none")

Command = TypeVar("Command", bound=Callable[..., Any])
# "-" is standard input or standard output.
INPUT_FILE = click.Path(exists=True, dir_okay=False, readable=True, allow_dash=True, path_type=Path)
OUTPUT_FILE = click.Path(dir_okay=False, allow_dash=True, path_type=Path)


class NumberOr(click.ParamType):  # type: ignore[type-arg]
    """A number, or one of a few words.

    Parameters
    ----------
    words : str
    whole : bool
        Whether a number without a point is an int.
    """

    name = "number"

    def __init__(self, *words: str, whole: bool = False) -> None:
        self.words, self.whole = words, whole

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number or the word."""
        if value in self.words:
            return value
        try:
            return int(value) if self.whole and str(value).lstrip("-").isdecimal() else float(value)
        except ValueError:
            words = " or ".join(["a number", *self.words])
            self.fail(f"{value!r} is not {words}", param, ctx)


class NumbersOr(NumberOr):
    """Numbers separated by commas, or one of a few words."""

    name = "numbers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a list of numbers, or the word."""
        if value in self.words or isinstance(value, list):
            return value
        return [super(NumbersOr, self).convert(part.strip(), param, ctx) for part in value.split(",")]


class Names(click.ParamType):  # type: ignore[type-arg]
    """One of several names, or more of them, separated by commas."""

    name = "names"

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return a tuple of names."""
        if isinstance(value, tuple):
            return value
        found = tuple(part.strip() for part in value.split(","))
        for one in found:
            if one not in self.names:
                self.fail(f"{one!r} is not one of {', '.join(map(repr, self.names))}.", param, ctx)
        return found


def choices(names: Sequence[str]) -> str:
    """Return names as the help shows several of them."""
    return f"[{'|'.join(names)}],..."


def not_zero(context: click.Context, option: click.Parameter, value: int) -> int:
    """Return a number of threads; 0 of them would do nothing."""
    if value == 0:
        raise click.BadParameter("0 threads do nothing; -1 is for all cores", context, option)
    return value


def several(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return a decorator that adds several options to a command, in this order."""

    def add(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
data_format = click.option(
    "--format", "format_", type=click.Choice(FORMATS), help="Format of DATA, if its suffix does not tell."
)
threads = click.option(
    "--threads",
    type=int,
    default=-1,
    show_default=True,
    callback=not_zero,
    help="Number of threads; -1 for all cores.",
)
scheduler = click.option(
    "--scheduler", metavar="ADDRESS", help="Compute on the Dask cluster of this scheduler, such as tcp://10.0.0.1:8786."
)
data_to_train_on = several(
    click.argument("data", type=INPUT_FILE),
    click.option("--target", metavar="COLUMN", help="Column with the labels; needed for CSV and Parquet."),
    click.option("--weights", metavar="COLUMN", help="Column with a weight for each row."),
    click.option(
        "--ignore", "ignored", metavar="COLUMN", multiple=True, help="A column that is no feature; repeatable."
    ),
    data_format,
)
kernel_machines = several(
    click.option(
        "--structure", type=click.Choice(STRUCTURES), help="How the machines are consulted; max_wins by default."
    ),
    click.option("-d", "--degree", type=int, help="Degree of the kernel poly; 3 by default."),
    click.option("-r", "--coef0", type=float, help="Constant of the kernels poly and sigmoid; 0 by default."),
    click.option("-e", "--tol", type=float, help="Training ends below this KKT gap; 0.001 by default."),
    click.option("-m", "--cache", "cache_size", type=float, help="Memory for training in MB; 200 by default."),
    click.option("--class-weight", metavar="WEIGHTS", help="balanced, or NAME=WEIGHT,... : factors of C."),
    click.option("--probability", is_flag=True, help="Also compute what predict --proba needs."),
    click.option(
        "-v", "--verbose", is_flag=True, help="Also say how the machines were trained: steps, gaps, kernel rows."
    ),
)

one_kernel = several(
    click.option("--kernel", type=click.Choice(KERNELS), help="Kernel function; rbf by default."),
    click.option(
        "--scale",
        type=click.Choice(SCALES),
        help="Scale the features: to mean 0 and variance 1, to [0, 1], by median and quartiles, by powers, or to ranks; none "
        "by default. The scaling is part of the model.",
    ),
)
some_kernels = several(
    click.option(
        "--kernel",
        type=Names(KERNELS),
        metavar=choices(KERNELS),
        help="Kernel function, or several to choose from; rbf by default.",
    ),
    click.option(
        "--scale",
        type=Names(SCALES),
        help="Scaling of the features, as in train, or several to choose from; none by default.",
    ),
)


@click.group(
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="DATA is CSV, Parquet, .npz (arrays X and y) or LIBSVM's text; - is standard input or output. "
    "Exit codes: 0 done, 1 failed, 2 used wrongly.",
)
@click.option("--traceback", is_flag=True, help="On an error, show where in the program it happened.")
@click.version_option(package_name="dagmar", prog_name="dagmar", message="%(prog)s %(version)s")
@click.pass_context
def dagmar(context: click.Context, traceback: bool) -> None:
    """Multiclass kernel SVMs: one machine is trained per pair of classes; a prediction consults only a few."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@dagmar.command()
@data_to_train_on
@click.option("--out", type=OUTPUT_FILE, required=True, help="The model file to write, such as model.dagmar.")
@click.option("-c", "--cost", "C", type=float, help="Penalty C of margin errors; 1 by default.")
@click.option("-g", "--gamma", type=NumberOr("scale", "auto"), help="Gamma of the kernel; scale by default.")
@one_kernel
@kernel_machines
@click.option(
    "--checkpoint", metavar="FOLDER", type=click.Path(), help="Keep finished machines here, to continue later."
)
@click.option("--test", type=INPUT_FILE, help="Evaluate the model on this data at once.")
@threads
@scheduler
@as_json
def train(**options: Any) -> None:
    """Train a model on DATA."""
    from .training import train

    train(**options)


@dagmar.command()
@data_to_train_on
@click.option("--out", type=OUTPUT_FILE, help="Write the best model, trained on all rows, to this file.")
@click.option("--cs", "Cs", type=NumbersOr(), help="Values of C, separated by commas.")
@click.option("--gammas", type=NumbersOr("scale-grid", "dbtc"), help="Values of gamma, or scale-grid or dbtc.")
@click.option("--cv", type=NumberOr(whole=True), help="Number of folds, or the share to hold out once; 5 by default.")
@click.option(
    "--search",
    type=click.Choice(["grid", "adaptive", "auto"]),
    help="How to search: all cells by default; auto also chooses kernel, scaling and weights of features.",
)
@click.option("--scoring", help="A score of scikit-learn, such as f1_macro; accuracy by default.")
@some_kernels
@kernel_machines
@threads
@scheduler
@as_json
def tune(**options: Any) -> None:
    """Choose C and gamma, and perhaps kernel and scaling, by cross-validation on DATA."""
    from .training import tune

    tune(**options)


about_data = several(
    click.option("--target", metavar="COLUMN", help="Column with the labels; by default that of the training data."),
    data_format,
)
model_and_data = several(
    click.argument("model", type=INPUT_FILE),
    click.argument("data", type=INPUT_FILE),
    about_data,
)


@dagmar.command()
@click.argument("model", type=INPUT_FILE)
@click.argument("data", type=click.Path(exists=True, readable=True, allow_dash=True, path_type=Path))
@about_data
@click.option("--out", type=OUTPUT_FILE, help="The CSV file to write; by default standard output.")
@click.option("--proba", is_flag=True, help="Also write the probability of each class, in a column with its name.")
@threads
@scheduler
@as_json
def predict(**options: Any) -> None:
    """Predict the class of each row of DATA.

    The result is CSV with the column "prediction". With --scheduler, DATA may be a folder of Parquet files.
    """
    from .using import predict

    predict(**options)


@dagmar.command()
@model_and_data
@threads
@as_json
def evaluate(**options: Any) -> None:
    """Compare predictions with the labels in DATA."""
    from .using import evaluate

    evaluate(**options)


@dagmar.command()
@model_and_data
@click.option("--row", type=click.IntRange(min=0), required=True, help="Number of the row, counted from 0.")
@as_json
def explain(**options: Any) -> None:
    """Say how a row of DATA gets its class, machine by machine."""
    from .using import explain

    explain(**options)


@dagmar.command()
@model_and_data
@click.option("--out", type=OUTPUT_FILE, required=True, help="The HTML file to write, such as page.html.")
@click.option(
    "--image",
    metavar="HEIGHTxWIDTH|auto|none",
    default="auto",
    help="Rows are grey images of this size, such as 8x8; auto (the default) guesses square images of 64, 256 or 784 numbers.",
)
@click.option("--title", help="Title of the page; by default the names of the files.")
@click.option(
    "--max-rows", type=click.IntRange(min=1), default=5000, show_default=True, help="Show at most this many rows."
)
@threads
@as_json
def explore(**options: Any) -> None:
    """Write a page for the browser that shows how each row of DATA gets its class.

    The page is one file that needs no network. It has the accuracy, the confusion matrix, the structure with its traffic, every
    decision step by step, and what happens if a feature moves.
    """
    from .exploring import explore

    explore(**options)


@dagmar.command()
@click.argument("model", type=INPUT_FILE)
@as_json
def inspect(**options: Any) -> None:
    """Show what is in a model file."""
    from .describing import inspect

    inspect(**options)


@dagmar.command()
@click.argument("source", metavar="IN", type=INPUT_FILE)
@click.argument("out", type=OUTPUT_FILE)
@click.option("--to", type=click.Choice(MODELS), help="Format of OUT, if its suffix does not tell.")
@click.option("--structure", type=click.Choice(STRUCTURES), help="Consult the machines by this structure.")
@click.option(
    "--dtype",
    type=click.Choice(["float64", "float32"]),
    default="float64",
    show_default=True,
    help="Type of the numbers in ONNX.",
)
@as_json
def convert(**options: Any) -> None:
    """Convert a model. The suffix tells the format: .dagmar, .model (LIBSVM's text), .onnx (OUT only)."""
    from .describing import convert

    convert(**options)


# --------------------------------------------------------------- how it ends


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the process.

    Returns
    -------
    int
        0 done, 1 failed, 2 used wrongly, 130 interrupted.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if sys.stderr is None:  # it was closed by the shell: 2>&-
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:  # >&-
        Failed("standard output is closed, so the result would be lost").show()
        return Failed.exit_code
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        # Columns have been matched by name before they are passed on.
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        warnings.showwarning = _show_warning
        try:
            code = dagmar.main(given, prog_name="dagmar", standalone_mode=False)
            sys.stdout.flush()
            return code if isinstance(code, int) else 0
        except click.exceptions.Abort:
            click.echo("dagmar: interrupted", err=True)
            return INTERRUPTED
        except BrokenPipeError:  # the reader of our output has ended, which is its right
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        except Exception as error:
            if "--traceback" in given[:1]:
                raise
            shown = as_shown(error)
            shown.show()
            return shown.exit_code


def as_shown(error: Exception) -> click.ClickException:
    """Return an error as the command shows it: one line that says what is wrong, and an exit code."""
    if isinstance(error, click.ClickException):
        return error
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return Failed(f"{where}{error.strerror or error}")
    if isinstance(error, MemoryError):
        return Failed("there is not enough memory")
    if isinstance(error, ImportError):
        return Failed(f"an optional part is not installed: {error}")
    if type(error).__name__ == "InvalidParameterError":
        return Misuse(" ".join(str(error).split()))
    text = " ".join(str(error).split())
    if isinstance(error, ValueError):
        return Failed(text)
    return Failed(f"{type(error).__name__}: {text} (dagmar --traceback shows where)")


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    click.echo(f"dagmar: warning: {' '.join(str(message).split())}", err=True)
