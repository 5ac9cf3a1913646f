"""The page on deployment: its snippets run, in their order."""

import json
import re
import threading
import urllib.error
import urllib.request
import warnings
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "deployment.md"


def sections():
    """Title and snippets of each section; the first has no title."""
    parts = re.split(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    titled = [("", parts[0]), *zip(parts[1::2], parts[2::2], strict=True)]
    return {title: re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL) for title, text in titled}


def run(titles, folder, monkeypatch):
    """Run the snippets of some sections in a folder; return their names."""
    monkeypatch.chdir(folder)
    names = {"__name__": "page"}
    for title in titles:
        assert sections()[title], title
        for snippet in sections()[title]:
            exec(compile(snippet, f"{PAGE.name}: {title}", "exec"), names)
    return names


def test_sections_are_in_their_order():
    titles = ["", "Model files", "Batch", "Service", "ONNX", "LIBSVM", "scikit-learn", "skops", "MLflow", "Versions"]
    assert [title for title in sections() if title != "Command line"] == titles


def test_snippets_run(tmp_path, monkeypatch):
    """Each has assertions of its own."""
    pytest.importorskip("onnxruntime")
    run(["", "Model files", "Batch", "ONNX", "LIBSVM", "scikit-learn"], tmp_path, monkeypatch)
    assert {path.name for path in tmp_path.iterdir()} == {
        "iris.dagmar",
        "iris.onnx",
        "iris32.onnx",
        "iris.model",
        "iris.model.labels.json",
    }


def test_skops_trusts_one_type(tmp_path, monkeypatch):
    """The snippet runs, and leaves its file."""
    pytest.importorskip("skops")
    run(["", "Model files", "skops"], tmp_path, monkeypatch)
    assert (tmp_path / "iris.skops").exists()


def test_mlflow_logs_and_loads(tmp_path, monkeypatch):
    """A run has the parameters, the score and a model with the labels of ours."""
    mlflow = pytest.importorskip("mlflow")
    pytest.importorskip("mlflow.sklearn")
    pytest.importorskip("skops")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of MLflow
        run(["", "Model files", "MLflow"], tmp_path, monkeypatch)
        (logged,) = mlflow.search_runs(output_format="list")
    assert logged.data.params["kernel"] == "rbf"
    assert set(logged.data.metrics) == {"accuracy"}


def test_service_answers(tmp_path, monkeypatch):
    """A request with two rows gets their labels."""
    names = run(["", "Model files", "Service"], tmp_path, monkeypatch)
    monkeypatch.setattr(names["Handler"], "log_message", lambda *_: None)
    server, rows = names["server"], names["X"][[0, -1]]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        url = "http://{}:{}".format(*server.server_address)
        with urllib.request.urlopen(url, data=json.dumps(rows.tolist()).encode(), timeout=10) as answer:
            assert json.loads(answer.read()) == names["clf"].predict(rows).tolist()
        for wrong in (b"no json", b"[[1, 2]]", b"[[1, 2, 3, null]]", b'[["a"]]'):
            with pytest.raises(urllib.error.HTTPError) as raised:
                urllib.request.urlopen(url, data=wrong, timeout=10)
            with raised.value as answer:
                assert (answer.code, type(json.loads(answer.read()))) == (400, str)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
