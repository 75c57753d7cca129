"""What a model may answer, and what its reply is worth."""
