"""Connections of commands to the service: addresses, an embedded server, calls with progress."""
