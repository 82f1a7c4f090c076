"""Is busy with something else instead of dialling."""

while True:
    pass
