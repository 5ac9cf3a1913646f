"""Pages of the explorer, read without a browser."""

import json
import re


def data_of(made):
    """The data in a page."""
    return json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', made.html, re.DOTALL)[1])
