"""Sources of every kind become BoxSets; one module a kind."""
