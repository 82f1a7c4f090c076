"""The referee: plays matches between bot processes, times their decisions, and judges faults."""
