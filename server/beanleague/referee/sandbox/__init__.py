"""The sandbox: layers of confinement for bots; the best one that works is used."""
