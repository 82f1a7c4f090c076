"""How a bot's program is run; authors need nothing from here."""
