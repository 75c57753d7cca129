"""The agents and their prompts: perspectives, reviewers and the participants of the debate."""
