"""
A service
=========

A model file, loaded once; a bare function from rows to labels; requests in many threads. What does one row cost?
"""

import json
import tempfile
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import sklearn.svm
from sklearn.datasets import load_digits

import dagmar

X, y = load_digits(return_X_y=True)
file = Path(tempfile.mkdtemp()) / "digits.dagmar"
dagmar.save(dagmar.SVC(C=10, gamma=0.001, structure="ddag").fit(X[:1000], y[:1000]), file)

clf = dagmar.load(file)
predict = clf.predictor()
theirs = sklearn.svm.SVC(C=10, gamma=0.001).fit(X[:1000], y[:1000])


class Handler(BaseHTTPRequestHandler):
    """Answers a list of rows with a list of labels."""

    def do_POST(self):
        """One request."""
        rows = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = json.dumps(predict(np.array(rows, dtype=np.float64)).tolist()).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        """Say nothing."""


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
request = urllib.request.Request(f"http://127.0.0.1:{server.server_port}", json.dumps(X[1000:1005].tolist()).encode())
with urllib.request.urlopen(request) as answer:
    print("the service says", json.load(answer), "and the labels are", y[1000:1005])
server.shutdown()
server.server_close()


# %%
# The time of one row, 500 times each:
def times(call):
    """Microseconds of each call, for 500 rows."""
    found = []
    for row in X[1000:1500]:
        begun = time.perf_counter()
        call(row)
        found.append(1e6 * (time.perf_counter() - begun))
    return found


calls = {
    "predictor()": predict,
    "dagmar.SVC.predict": lambda row: clf.predict(row[np.newaxis]),
    "sklearn.svm.SVC.predict": lambda row: theirs.predict(row[np.newaxis]),
}
found = {name: times(call) for name, call in calls.items()}
for name, values in found.items():
    print(f"{name:25} median {np.median(values):6.1f} µs, slowest of 100 {np.percentile(values, 99):6.1f} µs")

# %%
figure, ax = plt.subplots(figsize=(7, 2.6), layout="constrained")
ax.boxplot(list(found.values()), orientation="horizontal", tick_labels=list(found), showfliers=False)
ax.set(xscale="log", xlabel="microseconds for one row")
