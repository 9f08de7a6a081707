"""The benchmarks: `make bench`, or `python -m bench --help`.

Every figure that depends on the machine is a ratio to R, a bare script measured in the same run (`bare.py`).
Nothing here is a test: a slow machine fails nothing.
"""
