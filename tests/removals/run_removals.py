#!/usr/bin/env python3
"""Removes the waits and conditions of the ledger one at a time: a test must fail for each.

    run_removals.py TABLE EQUIVALENT PROGRAMS [--every N] [--only N,N...] [--seeds N] [--jobs N]

TABLE is what remove_waits.py wrote; EQUIVALENT lists removals that cannot change what is done, with
the reason; PROGRAMS is the folder of the programs removals.*. For each removal the programs run, the
likeliest to notice first, until one fails: by the scheduler threads, then by deferred with each seed.
A program that crashes or does not end has failed too. Exit status 1 if a removal is not noticed.
"""
import argparse
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SETTINGS = {"DEVMEM_POISON": "1", "DEVMEM_CPU_DEVICES": "4", "SIMULATED_CUDA_DEVICES": "4"}
LIMIT = 40  # seconds; what takes longer hangs


def runs(seeds, exclude):
    """(program, scheduler, its own arguments), in the order of trying."""
    quick = ["--source-file-exclude=*/model.cpp,*/stream_dags.cpp,*/copy_staging.cpp"]
    slow = ["--source-file=*/model.cpp,*/stream_dags.cpp,*/copy_staging.cpp"]
    rest = []
    if exclude:
        for arguments in (quick, slow, rest):
            arguments.append(f"--test-case-exclude={exclude}")
    yield "calls", "threads", []
    yield "calls", "inline", ["--test-case=threads that*"]  # what threads meet by chance
    yield "cuda", "threads", quick
    yield "cpu", "threads", quick
    yield "cuda_faults", "inline", rest
    yield "cpu_faults", "inline", rest
    yield "cpu", "deferred:0", quick
    yield "cpu", "deferred:1", quick
    yield "cuda", "threads", slow
    yield "cpu", "threads", slow
    for program in ("cpu", "cuda"):
        for seed in range(seeds):
            yield program, f"deferred:{seed}", rest


def run(folder, program, scheduler, arguments, removal):
    """What failed; None where nothing did."""
    environment = dict(os.environ, DEVMEM_SCHEDULER=scheduler, **SETTINGS)
    environment.pop("DEVMEM_REMOVE", None)
    if removal:
        environment["DEVMEM_REMOVE"] = str(removal)
    process = subprocess.Popen([str(folder / f"removals.{program}"), "--abort-after=1", *arguments],
                               env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               start_new_session=True)
    try:
        output, _ = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"{program} {scheduler}: does not end"
    if process.returncode == 0:
        return None
    named = re.findall(rb"TEST CASE:\s*(.*)", output)
    last = named[-1].decode(errors="replace") if named else "no test case"
    return f"{program} {scheduler}: {last}" + (" (crashed)" if process.returncode < 0 else "")


def noticed(folder, removal, tries):
    begin = time.monotonic()
    for program, scheduler, arguments in tries:
        found = run(folder, program, scheduler, arguments, removal)
        if found is not None:
            break
    return found, time.monotonic() - begin


def read_equivalent(path):
    """{(file, kind, site, line): reason}; the fields of an entry are lines, parted by an empty one."""
    entries = {}
    text = "\n".join(l for l in path.read_text().splitlines() if not l.startswith("#"))
    for entry in filter(None, (e.strip() for e in text.split("\n\n"))):
        where, line, *reason = entry.splitlines()
        name, kind, site = where.split(" ", 2)
        if not reason:
            sys.exit(f"{path}: no reason is given for {where}")
        entries[name, kind, site, line.strip()] = " ".join(reason)
    return entries


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("table", type=Path)
    parser.add_argument("equivalent", type=Path)
    parser.add_argument("programs", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only")
    parser.add_argument("--seeds", type=int, default=16)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--exclude", default="", help="test cases that are not to count")
    options = parser.parse_args()

    table = [row.split("\t") for row in options.table.read_text().splitlines()]
    equivalent = read_equivalent(options.equivalent)
    used = {}
    for number, place, kind, site, line in table:
        key = (place.split(":")[0], kind, site, line)
        if key in equivalent:
            used.setdefault(key, []).append(number)
    for key in equivalent:
        if len(used.get(key, [])) != 1:
            sys.exit(f"{options.equivalent}: found {len(used.get(key, []))} times: {' '.join(key)}")

    tries = list(runs(options.seeds, options.exclude))
    for program, scheduler, arguments in tries:
        failed = run(options.programs, program, scheduler, arguments, 0)
        if failed is not None:
            sys.exit(f"without a removal, {failed}")

    chosen = [row for row in table if int(row[0]) % options.every == 0]
    if options.only:
        chosen = [row for row in table if row[0] in options.only.split(",")]
    chosen = [r for r in chosen if (r[1].split(":")[0], *r[2:]) not in equivalent]
    survivors = []
    with ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda row: noticed(options.programs, int(row[0]), tries), chosen)
        for (number, place, kind, site, _), (found, seconds) in zip(chosen, results):
            what = f"{number} {place} {kind}: {site}"
            print(f"{what}\n    {found or 'SURVIVES'} ({seconds:.1f} s)", flush=True)
            if found is None:
                survivors.append(what)
    print(f"{len(chosen)} removed, {len(survivors)} not noticed, "
          f"{len(equivalent)} of {len(table)} held to change nothing")
    for what in survivors:
        print("not noticed:", what)
    sys.exit(1 if survivors else 0)


main()
