"""Where numbers were measured."""

import json

import dagmar
from experiments.environment import describe_environment


def test_environment_is_plain_data_with_versions():
    """Versions of what dagmar stands on and of what is asked for; None for what is absent."""
    environment = describe_environment(["no-such-package"])
    assert json.loads(json.dumps(environment)) == environment
    assert environment["versions"]["dagmar"] == dagmar.__version__
    assert environment["versions"]["numpy"]
    assert environment["versions"]["no-such-package"] is None
    assert environment["cores"] >= 1
    assert environment["cpu"]
