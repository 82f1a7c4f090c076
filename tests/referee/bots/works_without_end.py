import contextlib
import os
import subprocess
import sys
import threading
import time

from rawbot import dull, play

WORK = "while True: sum(range(20_000)); time.sleep(0.001)"  # leaves time to those who play

WRITE = "while True: os.write(2, bytes(2**20)); time.sleep(0.001)"  # more than is read at once: frozen in the middle

for code in (WORK, WRITE):
    threading.Thread(target=exec, args=(code, {"os": os, "time": time}), daemon=True).start()
with contextlib.suppress(PermissionError):  # there are hosts where bots have threads only
    subprocess.Popen([sys.executable, "-c", f"import time\n{WORK}", "works_without_end"], start_new_session=True)
play(lambda request, start: [dull(request, start)])
