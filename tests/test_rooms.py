"""The rooms of the package: each imports only those before it, and each module has its test file."""

import ast
from pathlib import Path

import pytest

import dagmar

PACKAGE = Path(dagmar.__file__).parent
TESTS = Path(__file__).parent

# In the order of the path from X and y to a model. The last is the command line: it may import every room, and no room may
# import it.
ROOMS = [
    "base",
    "problem",
    "machines",
    "structures",
    "probabilities",
    "pictures",
    "analysis",
    "estimators",
    "tuning",
    "interop",
    "files",
    "exports",
    "explorer",
    "dask",
    "cli",
]

# A module without a test file, and the reason.
NO_TESTS = {"base/typing": "names for types, which only mypy reads"}

# Folders of tests that mirror no room.
OTHER_TESTS = {"agreement", "clients", "core", "examples", "experiments", "reference", "robustness", "saved_models"}


# ------------------------------------------------------------------- imports


def is_type_checking(test):
    """Whether the condition of an `if` is TYPE_CHECKING, by either spelling."""
    return getattr(test, "id", getattr(test, "attr", None)) == "TYPE_CHECKING"


def imports_of(tree):
    """Every import that can run, also those inside functions."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node
        elif isinstance(node, ast.If) and is_type_checking(node.test):
            yield from imports_of(ast.Module(node.orelse, []))
        else:
            yield from imports_of(node)


def imported_names(node, package):
    """The full names that an import may load; `package` holds the module in which it stands, as a list of names."""
    if isinstance(node, ast.Import):
        return [alias.name.split(".") for alias in node.names]
    above = package[: len(package) - node.level + 1] if node.level else []
    home = above + (node.module.split(".") if node.module else [])
    return [[*home, alias.name] for alias in node.names]


def wrong_imports(source, room, module="module"):
    """What a module of a room imports from a later room or a leaf, in words."""
    package = ["dagmar", room]
    before = ROOMS[: ROOMS.index(room) + 1]
    wrong = []
    for node in imports_of(ast.parse(source)):
        for name in imported_names(node, package):
            if name[0] != "dagmar" or len(name) == 1:  # `import dagmar` loads nothing but the names of the package
                continue
            if name[1] not in [*before, "_core", "__version__"]:
                wrong.append(f"{room}/{module}, line {node.lineno}: imports {'.'.join(name)}")
    return wrong


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_import_only_what_comes_before_them(room):
    """A room imports itself, the rooms before it and the core; imports inside functions count, those for types do not."""
    paths = sorted((PACKAGE / room).rglob("*.py"))
    assert paths, f"there is no room {room}"
    assert [line for path in paths for line in wrong_imports(path.read_text(), room, path.name)] == []


VIOLATIONS = {
    "a module": "from ..structures.plans import Plan",
    "a room": "from .. import structures",
    "a member of a room": "from ..structures import DDAG",
    "a full name": "from dagmar.structures.plans import Plan",
    "a plain import": "import dagmar.tuning.svccv as svccv",
    "a leaf": "from ..cli import main",
    "a public name": "from dagmar import SVC",
    "inside a function": "def late():\n    if True:\n        from ..interop import libsvm",
    "inside a try": "try:\n    from ..estimators.svc import SVC\nexcept ImportError:\n    pass",
    "not for types": "if TYPE_CHECKING:\n    pass\nelse:\n    from ..estimators.svc import SVC",
}
FINE = {
    "the core": "from .. import _core",
    "its own room": "from .training import train\nfrom . import bank",
    "a room before": "from ..problem.tasks import Tasks\nfrom ..base import lists\nfrom dagmar.base.pairs import n_pairs",
    "other libraries": "import numpy as np\nfrom sklearn.base import clone\nfrom structures import something",
    "for types": "if TYPE_CHECKING:\n    from ..estimators.svc import SVC",
    "for types, in full": "if typing.TYPE_CHECKING:\n    from ..estimators.svc import SVC",
    "the package": "import dagmar\nfrom dagmar import __version__",
}


@pytest.mark.parametrize("source", VIOLATIONS.values(), ids=VIOLATIONS)
def test_wrong_import_is_found(source):
    """The check fails for a made-up module of `machines` that imports a later room, in whatever form, and says where."""
    (line,) = wrong_imports(source, "machines", "made_up.py")
    assert line.startswith("machines/made_up.py, line ")


@pytest.mark.parametrize("source", FINE.values(), ids=FINE)
def test_right_import_is_passed(source):
    """The check lets a made-up module of `machines` import what it may."""
    assert wrong_imports(source, "machines") == []


# --------------------------------------------------------------- test files


def modules_of(package):
    """All modules as "room/module", or "module" for a leaf; packages, `__main__` and the compiled core are left out."""
    paths = (path.relative_to(package).with_suffix("").as_posix() for path in package.rglob("*.py"))
    return {path for path in paths if not path.split("/")[-1].startswith("_")}


def mirror(package, tests):
    """Modules that have no test file, and test files in the rooms that have no module."""
    modules = modules_of(package)
    rooms = {path.name for path in package.iterdir() if (path / "__init__.py").exists()}
    tested = {
        path.relative_to(tests).with_name(path.name.removeprefix("test_")).with_suffix("").as_posix()
        for path in tests.rglob("test_*.py")
    }
    of_rooms = {name for name in tested if name.split("/")[0] in rooms}
    return sorted(modules - tested), sorted(of_rooms - modules)


def test_every_module_has_its_test_file_and_no_other_is_there():
    """src/dagmar/<room>/<module>.py is tested in tests/<room>/test_<module>.py; what spans modules stands at the top."""
    untested, astray = mirror(PACKAGE, TESTS)
    assert untested == sorted(NO_TESTS)
    assert astray == []


def test_folders_of_tests_are_known():
    """A folder of tests is a room or one of a few others, so that a misspelt room is noticed; each of those is there."""
    folders = {path.name for path in TESTS.iterdir() if path.is_dir() and not path.name.startswith(("_", "."))}
    assert folders == set(ROOMS) | OTHER_TESTS


def test_rooms_of_the_order_are_those_of_the_package():
    """Every folder of the package has its place in the order; a new one must be given one."""
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} == set(ROOMS)


def test_missing_and_stray_test_files_are_found(tmp_path):
    """The check fails for a made-up package with a module that has no test file and a test file that has no module."""
    package, tests = tmp_path / "package", tmp_path / "tests"
    for name in ("room/__init__.py", "room/tested.py", "room/forgotten.py", "room/_private.py", "leaf.py"):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).touch()
    for name in ("room/test_tested.py", "room/test_gone.py", "core/test_anything.py", "test_everything.py"):
        (tests / name).parent.mkdir(parents=True, exist_ok=True)
        (tests / name).touch()
    assert mirror(package, tests) == (["leaf", "room/forgotten"], ["room/gone"])
