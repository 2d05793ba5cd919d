"""The NoneBot edge: one file per noun. `plugin.py` hooks them into NoneBot when it is imported."""
