"""Model files: a fitted model as one file of arrays with a readable header. ``docs/format.md`` describes the format."""
