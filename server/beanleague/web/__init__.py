"""The site: leagues in a browser. Like the command line a client of the service (league.proto); extra `web`."""
