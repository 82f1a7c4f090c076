import time

time.sleep(0.5)

from rawbot import dull, play  # noqa: E402 - it is slow before it loads anything

play(lambda request, start: [dull(request, start)])
