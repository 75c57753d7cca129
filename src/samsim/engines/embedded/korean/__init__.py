"""How the embedded engine reads Korean."""
