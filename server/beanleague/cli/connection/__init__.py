"""How commands reach the service: addresses, an embedded server, and calls that report progress."""
