"""How each provider is spoken to: requests and replies as they are sent."""
