"""Checking a league: everything that is stored of it against everything else."""
