"""Is busy with something else instead of dialling."""

import time

while time.process_time() < 2:
    pass
time.sleep(3600)
