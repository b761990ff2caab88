"""The templates, and the code that renders them."""
