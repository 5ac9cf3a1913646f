"""The stub of the core is the one that the built module generates."""

from cpp.stub import STUB, generate


def test_stub_is_up_to_date():
    """`make stub` would change nothing: names, arguments, types and docstrings are those of the core."""
    assert STUB.read_text() == generate()
