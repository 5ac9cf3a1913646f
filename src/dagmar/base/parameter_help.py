"""What the parameters of a class mean, from its docstring."""

from __future__ import annotations

import inspect
import re


def parameter_help(kind: type) -> dict[str, str]:
    """Return the first sentence about each parameter in the section "Parameters" of a docstring in numpydoc's form.

    Parameters
    ----------
    kind : type

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> import dagmar
    >>> from dagmar.base.parameter_help import parameter_help
    >>> parameter_help(dagmar.DivideAndConquer)["max_samples"]
    'Use at most this many training samples of each class for the table.'
    """
    section = re.search(
        r"^Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-+$|\Z)", inspect.getdoc(kind) or "", re.DOTALL | re.MULTILINE
    )
    found: dict[str, str] = {}
    if section is None:
        return found
    for heading, text in re.findall(r"^(\S[^\n]*)\n((?:[ \t]+[^\n]*\n?|\n)*)", section[1], re.MULTILINE):
        words = " ".join(text.replace("`", "").split())
        sentence = re.match(r".*?[.](?=\s[A-Z\"]|$)", words)
        for name in heading.split(" : ")[0].split(", "):
            found[name] = sentence[0] if sentence else words
    return found
