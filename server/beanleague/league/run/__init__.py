"""Running a league: deals to the referee, results to the store, ratings as they change."""
