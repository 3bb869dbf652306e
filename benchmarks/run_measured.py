"""``python run_measured.py COMMAND...``: run a command, and print its usage as JSON.

Seconds of wall and CPU and peak memory in MB. On Linux the peak of a process
includes that of its parent before the start, so that the parent must be as small as this one.
"""

import json
import os
import subprocess
import sys
import time

started = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
process.returncode = os.waitstatus_to_exitcode(status)
report = {
    "wall_seconds": time.perf_counter() - started,
    "cpu_seconds": usage.ru_utime + usage.ru_stime,
    "peak_mb": usage.ru_maxrss / 1024,
}
print(json.dumps(report))
sys.exit(process.returncode != 0)
