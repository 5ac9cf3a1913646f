"""The stubs of the core and of the package are those that are generated from them."""

from cpp.stub import STUB, generate
from src.stub import STUB as PACKAGE_STUB
from src.stub import generate as generate_package


def test_stub_is_up_to_date():
    """`make stub` would change nothing: names, arguments, types and docstrings are those of the core."""
    assert STUB.read_text() == generate()


def test_stub_of_the_package_is_up_to_date():
    """What type checkers see is the table of public names."""
    assert PACKAGE_STUB.read_text() == generate_package()
