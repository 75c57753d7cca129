"""Korean: morphemes, clauses, cues and polarity words."""
