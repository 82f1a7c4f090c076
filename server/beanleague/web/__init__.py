"""The site: leagues in a browser. Like the command line it is a client of the service (league.proto). Extra `web`."""
