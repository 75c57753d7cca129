"""English: tokens, tags, clauses, cues and polarity words."""
