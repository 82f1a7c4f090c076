"""Tables and seeds of deals: pure functions without store or referee."""
