"""The records passed between the layers, with the names the seed documents use."""
