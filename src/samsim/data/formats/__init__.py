"""How files are read: parsers that yield texts together with their annotations.

Only ``samsim.data.registry`` (which drops the annotations) and ``samsim.data.gold`` may import this package.
"""
