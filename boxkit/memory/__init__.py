"""Demonstrations: verified question-code pairs, found by similarity."""
