"""The explorer: a fitted classifier and its decisions as one page for the browser."""
