"""The command line, a twin of the library."""
