"""Ways from a question to an answer; each a small frozen dataclass."""
