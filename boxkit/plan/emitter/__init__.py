"""The emitter: a plan becomes the pandas that a good analyst would write."""
