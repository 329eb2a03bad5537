#!/usr/bin/env python3
"""sabotage.py PROGRAM: over a runtime whose copy (wait, free, set-device) does nothing and says that
it was done, many of the program's test cases fail. Each runs in a process of its own, since
many end it."""
import concurrent.futures
import os
import re
import subprocess
import sys

program = sys.argv[1]

# Memory that is not freed shows in few of them: containers give theirs to the pool.
LEAST = {"copy": 100, "wait": 100, "free": 5, "set_device": 100}


def run(case, what):
    """Whether the test case passes."""
    environment = dict(os.environ, SIMULATED_CUDA_SABOTAGE=what)
    # A comma would end the name, a question mark is any character.
    name = "--test-case=" + re.sub(r"[,\\]", "?", case)
    try:
        done = subprocess.run([program, name], env=environment, timeout=20,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode in (0, 77)


listed = subprocess.run([program, "--list-test-cases"], capture_output=True, text=True, check=True)
cases = [line for line in listed.stdout.splitlines()
         if line and not line.startswith(("[doctest]", "===", "test cases:"))]
if not cases:
    sys.exit("no test cases listed")

status = 0
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    for what in ("none", *LEAST):
        passed = list(pool.map(lambda case: run(case, what), cases))
        failed = [case for case, ok in zip(cases, passed) if not ok]
        print(f"{what}: {len(failed)} of {len(cases)} test cases fail", flush=True)
        if what == "none" and failed:
            print(*failed, sep="\n")
            status = 1
        elif len(failed) < LEAST.get(what, 0):
            status = 1
sys.exit(status)
