"""How many calls at once, how long to wait for one, and what to do while a server is away."""
