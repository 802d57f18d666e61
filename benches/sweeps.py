#!/usr/bin/env python3
"""Many runs of the boost converter: processor time of a run, of a sweep in one and in two threads, and of loading anew.

usage: sweeps.py [RUNS [STOP]]     with a Python that has the wheel (CONTRIBUTING.md)
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

import modeshift

MODEL = Path(__file__).resolve().parents[1] / "crates/simulate/tests/data/multimode/BoostConverter.mo"

PLAN = """
design = "random"
samples = {runs}
seed = 1
stop = {stop}
events = false
end = ["vC", "iL"]
[vary]
R = {{ mean = 50, deviation = 5 }}
L = {{ mean = 1e-3, deviation = 1e-4 }}
C = {{ mean = 1e-4, deviation = 1e-5 }}
D = {{ from = 0.4, to = 0.6 }}
"""


def processor_time():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def measured(count, job):
    """Processor time of a job in milliseconds, the mean of some."""
    before = processor_time()
    for at in range(count):
        job(at)
    return (processor_time() - before) / count * 1e3


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    stop = float(sys.argv[2]) if len(sys.argv) > 2 else 5e-3
    kept = dict(stop=stop, variables=["vC", "iL"])
    model = modeshift.load(MODEL)
    model.simulate(**kept)
    print(f"a run: {measured(50, lambda _: model.simulate(**kept)):.2f} ms")
    print(f"with another resistor: {measured(50, lambda at: model.simulate(R=50 + at, **kept)):.2f} ms")
    print(f"loaded anew: {measured(20, lambda _: modeshift.load(MODEL).simulate(**kept)):.2f} ms")
    print(f"loadings: {model.loadings}")
    with tempfile.TemporaryDirectory() as directory:
        results = set()
        for workers in (1, 2):
            plan = Path(directory) / f"plan{workers}.toml"
            plan.write_text(PLAN.format(runs=runs, stop=stop))
            begin, before = time.time(), processor_time()
            done = modeshift.sweep(plan, model=MODEL, workers=workers)
            used = processor_time() - before
            results.add(done.output.read_bytes())
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            print(
                f"{runs} runs, {workers} threads: {used:.2f} s of processor time, {used / runs * 1e3:.2f} ms each; "
                f"{time.time() - begin:.1f} s; {pages * 4096 / 2**20:.0f} MiB"
            )
        print("tables are", "equal" if len(results) == 1 else "NOT EQUAL")


if __name__ == "__main__":
    main()
