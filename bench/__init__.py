"""Benches: speed as ratios within one run. `python -m bench` runs all, `python -m bench.NAME` one."""
