"""What flows between the parts: typed records with the names the seed documents use."""
