"""The way from a command to the service: addresses, an embedded server, and calls that are followed."""
