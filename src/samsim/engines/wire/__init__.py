"""The providers' wire formats: requests and replies as they are sent."""
