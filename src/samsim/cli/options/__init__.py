"""Options that several commands share, and the engines and memories they open."""
