"""Who answers an agent's request: the engine protocol and the engines behind it."""
