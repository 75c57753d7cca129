"""Who is asked what: the three perspectives, the three reviewers and their prompts."""
