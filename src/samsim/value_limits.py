"""What no value from outside may be, whatever it was read from."""

from __future__ import annotations

import re

MOST_INTEGER = 2**63 - 1
# Sums and squares of so much are still finite.
MOST_NUMBER = 1e100
# Half of a surrogate pair is no character, and cannot be written as UTF-8.
LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
