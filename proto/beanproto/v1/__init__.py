"""Version 1: `referee.proto` between the referee and bots, `league.proto` between the server and people."""
