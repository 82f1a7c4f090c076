"""The sandbox: layers of confinement for bots, of which the best working one is used."""
