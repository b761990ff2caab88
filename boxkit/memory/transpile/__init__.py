"""Readers of gold programs: SQL, SPARQL and s-expressions become pandas."""
