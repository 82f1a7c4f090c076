"""Numbers as positions in pictures. Templates draw them, as SVG."""
