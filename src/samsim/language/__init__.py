"""The language layer: detects a text's language, tokens with offsets, cues with scope, and polarity words."""
