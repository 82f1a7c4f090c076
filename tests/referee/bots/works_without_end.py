import subprocess
import sys
import threading

from rawbot import dull, play


def work() -> None:
    while True:
        sum(range(1000))


threading.Thread(target=work, daemon=True).start()
subprocess.Popen([sys.executable, "-c", "while True: pass", "works_without_end"], start_new_session=True)
play(lambda request, start: [dull(request, start)])
