"""The folder of a run on disk: written, recovered, repaired, and proved to belong to its cell."""
