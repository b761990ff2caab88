"""Language models behind one Protocol, and the wrappers that cache and count."""
