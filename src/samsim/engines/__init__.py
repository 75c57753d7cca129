"""Who answers an agent's request: the interface of an engine and the engines behind it."""
