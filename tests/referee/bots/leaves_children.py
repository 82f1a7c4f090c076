import subprocess
import sys

from rawbot import dull, play

subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)", "left behind by a bot"])
play(lambda request, start: [dull(request, start)])
