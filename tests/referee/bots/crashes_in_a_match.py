import signal

from rawbot import play_until_killed

play_until_killed(signal.SIGSEGV)
