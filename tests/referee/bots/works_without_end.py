import subprocess
import sys
import threading
import time

from rawbot import dull, play

WORK = "while True: sum(range(20_000)); time.sleep(0.001)"  # leaves time to those who play

threading.Thread(target=exec, args=(WORK, {"time": time}), daemon=True).start()
subprocess.Popen([sys.executable, "-c", f"import time\n{WORK}", "works_without_end"], start_new_session=True)
play(lambda request, start: [dull(request, start)])
