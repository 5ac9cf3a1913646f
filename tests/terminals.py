"""A terminal that remembers what is written to it."""

import io


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        """Yes."""
        return True
