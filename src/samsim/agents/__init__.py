"""Who is asked what: perspectives, reviewers, the debate's cast, and their prompts."""
