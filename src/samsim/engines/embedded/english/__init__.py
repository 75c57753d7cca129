"""How the embedded engine reads English."""
