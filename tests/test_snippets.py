"""Every snippet in Python of the README and of the pages in docs runs, in its order."""

import doctest
import re
from pathlib import Path

import matplotlib
import pytest
from children import output_of

matplotlib.use("Agg")

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SNIPPET = re.compile(r"^(<!-- not run -->\n)?```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# Pages whose snippets have tests of their own, which compare more.
ELSEWHERE = {
    "deployment.md": "test_deployment.py",
    "pictures.md": "test_pictures_page.py",
    "results.md": "test_results_page.py",
}
# Pages that start processes: they run in a child. It closes what they leave open.
CLUSTERS = {"clusters.md", "distributed.md"}
# What a snippet may need that tests cannot have.
NOT_HERE = ("dask_kubernetes", "dask_jobqueue")


def snippets(page, run=True):
    """The snippets of a page that are Python, in its order: those that run, or those marked as not run."""
    found = SNIPPET.findall(page.read_text(encoding="utf-8"))
    return [code for mark, language, code in found if language in ("python", "pycon") and bool(mark) is not run]


def run(page):
    """Run the snippets of a page one after another, with the same names; return these."""
    names = {"__name__": "page"}
    for code in snippets(page):
        if not code.startswith(">>>"):
            exec(compile(code, page.name, "exec"), names)
            continue
        example = doctest.DocTestParser().get_doctest(code, names, page.name, str(page), 0)
        runner = doctest.DocTestRunner(verbose=False)
        runner.run(example, clear_globs=False)
        assert runner.failures == 0
        names.update(example.globs)
    return names


HERE = [page for page in PAGES if snippets(page) and page.name not in ELSEWHERE]


@pytest.mark.parametrize("page", [p for p in HERE if p.name not in CLUSTERS], ids=lambda page: page.name)
def test_snippets_run(page, tmp_path, monkeypatch):
    from matplotlib import pyplot as plt

    monkeypatch.chdir(tmp_path)
    assert run(page).keys() > {"__name__"}  # what the snippets defined
    plt.close("all")


@pytest.mark.parametrize("name", sorted(CLUSTERS))
def test_snippets_about_clusters_run(name, tmp_path):
    code = "\n".join(snippets(ROOT / "docs" / name))
    output = output_of(f"import os; os.chdir({str(tmp_path)!r})\n{code}\nclient.shutdown()\nprint('to the end')")
    assert output.endswith("to the end\n")


def test_the_search_of_the_quick_start_finds_good_parameters(tmp_path, monkeypatch):
    """The best cell is inside the grid, and as good as the classifier above it on the page."""
    monkeypatch.chdir(tmp_path)
    names = run(ROOT / "docs" / "quickstart.md")
    search, X_test, y_test = names["search"], names["X_test"], names["y_test"]
    assert search.score(X_test, y_test) >= names["clf"].score(X_test, y_test) > 0.98
    assert min(search.gammas_) < search.best_params_["gamma"] < max(search.gammas_)


def test_only_what_cannot_run_here_is_marked():
    """Snippets that are not run need Kubernetes or a batch system, and no other page has a mark."""
    for page in PAGES:
        assert all(any(name in code for name in NOT_HERE) for code in snippets(page, run=False))
        assert page.read_text(encoding="utf-8").count("<!-- not run -->") == len(snippets(page, run=False))
    assert len(snippets(ROOT / "docs" / "clusters.md", run=False)) == 3


def test_other_pages_are_tested_elsewhere():
    for name, test in ELSEWHERE.items():
        assert name in (ROOT / "tests" / test).read_text(encoding="utf-8")
