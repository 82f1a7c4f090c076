from rawbot import dull, play

play(lambda request, start: [dull(request, start)])
