"""The site: leagues in a browser. A client of the service (league.proto), as the command line is; extra `web`."""
