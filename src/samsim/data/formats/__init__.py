"""The parsers of data files, which yield texts together with their annotations.

Only ``samsim.data.registry`` (which drops the annotations) and ``samsim.data.gold`` may import this package.
"""
