"""A small logical algebra over BOXes, and the emitter that writes it as pandas."""
