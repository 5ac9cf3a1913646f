"""The site, built from its sources: ``python -m experiments.site`` writes build/docs/html."""

from __future__ import annotations

from pathlib import Path

from .gather import gather

ROOT = Path(__file__).resolve().parents[2]
ROWS = 240  # of the page of the explorer: few, so that the first page loads quickly


def build(out: Path, root: Path = ROOT) -> int:
    """Make the site.

    Parameters
    ----------
    out : Path
        A folder; the first page is html/index.html in it.
    root : Path
        The folder of the repository.

    Returns
    -------
    int
        The exit code of Sphinx, for which a warning is an error: 0 if all went well.
    """
    from sphinx.cmd.build import main as sphinx

    gather(root, out / "sources")
    write_explorer(out / "extra" / "explorer_page.html")
    settings = ["-c", str(root / "docs" / "site"), "-d", str(out / "doctrees")]
    settings += ["-D", f"html_extra_path={out / 'extra'}"]
    return int(sphinx(["-b", "html", "-q", "-W", "--keep-going", *settings, str(out / "sources"), str(out / "html")]))


def write_explorer(file: Path) -> None:
    """Write the page of the explorer that the first page shows: digits that the model has not seen.

    Parameters
    ----------
    file : Path
    """
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    import dagmar

    X, X_test, y, y_test = train_test_split(*load_digits(return_X_y=True), random_state=0)
    clf = dagmar.SVC(C=10, gamma=0.001, structure="ddag").fit(X, y)
    file.parent.mkdir(parents=True, exist_ok=True)
    dagmar.explore(clf, X_test[:ROWS], y_test[:ROWS], file, image=(8, 8), title="Handwritten digits")
