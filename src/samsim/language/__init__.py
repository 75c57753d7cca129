"""What a text is: its language, tokens with offsets, cues with scope, words with a polarity."""
