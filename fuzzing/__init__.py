"""Fuzzing: random fits, damaged models and damaged files in child processes, compared with a long-double evaluation.

This package stands beside the library and is not installed. `python -m fuzzing --help` lists its options.
"""
