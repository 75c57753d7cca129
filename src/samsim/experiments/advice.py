"""What to do about a run that cannot be resumed as it is: on the command line, and in Python."""

from __future__ import annotations

USE_RESTART = "use --restart (in Python: restart=True); the old folder is kept"
USE_RETRY = "use --retry-errors (in Python: retry_errors=True)"
