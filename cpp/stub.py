"""Writes src/dagmar/_core.pyi from the built module: ``python cpp/stub.py``.

The text is that of nanobind's stubgen, with two changes that keep it short and the same for different versions of nanobind:
arrays are ``NDArray[type]``, without their shapes and orders, and ruff lays it out.
"""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
import tempfile
from pathlib import Path

STUB = Path(__file__).parent.parent / "src" / "dagmar" / "_core.pyi"


class _Shorter(ast.NodeTransformer):
    """Replaces ``Annotated[X, ...]`` by X, and puts docstrings in the usual form."""

    def __init__(self) -> None:
        self.depth = 0

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        annotated = isinstance(node.value, ast.Name) and node.value.id == "Annotated"
        if annotated and isinstance(node.slice, ast.Tuple):
            return node.slice.elts[0]
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._inside(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._inside(node)

    def _inside(self, node: ast.ClassDef | ast.FunctionDef) -> ast.AST:
        self.depth += 1
        if ast.get_docstring(node) is not None:
            docstring = node.body[0].value  # type: ignore[attr-defined]
            lines, indent = inspect.cleandoc(docstring.value).splitlines(), "    " * self.depth
            if len(lines) > 1:
                lines.append(indent)
            docstring.value = "\n".join([lines[0], *(indent + line if line.strip() else line for line in lines[1:])])
        self.generic_visit(node)
        self.depth -= 1
        return node


def generate() -> str:
    """The stub of the module that Python imports now."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "_core.pyi"
        _run("-m", "nanobind.stubgen", "-q", "-m", "dagmar._core", "-o", str(path))
        tree = _Shorter().visit(ast.parse(path.read_text()))
    text = ast.unparse(tree)
    text = _run(
        "-m", "ruff", "check", "--quiet", "--fix", "--select", "I,F401", "--stdin-filename", str(STUB), "-", text=text
    )
    return _run("-m", "ruff", "format", "--quiet", "--stdin-filename", str(STUB), "-", text=text)


def _run(*arguments: str, text: str | None = None) -> str:
    command = [sys.executable, *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    STUB.write_text(generate())
