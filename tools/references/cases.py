"""A model with its reference: by a hand-written hybrid system, or in closed form."""
import sys
import time

import numpy as np

import records
from hybrid import Run

CASES = []


def hybrid(name, stop, interval, system, x0, outputs, d0=None, units=None, u=1.0, tau=1.0, nudged=None, max_step=None, stiff=False,
           scales="u tau", checks=8, events=None):
    """A model whose reference is a hybrid system in units of u and tau; `nudged` are the states that may start elsewhere."""
    def run(nudge):
        start = [x + n for x, n in zip(x0, nudge)]
        return Run(system, start, d0 or {}, stop, outputs, max_step)
    CASES.append(dict(name=name, stop=stop, interval=interval, run=run, count=len(x0), outputs=outputs, units=units or {}, u=u, tau=tau,
                      nudged=range(len(x0)) if nudged is None else nudged, stiff=stiff, scales=scales.split(), checks=checks, expected=events))


class Closed:
    """A run in closed form."""

    def __init__(self, outputs, events):
        self.outputs, self.events = outputs, list(events)

    def value(self, name, t):
        return float(self.outputs[name](t))


def closed(name, stop, interval, outputs, at=(), units=None, u=1.0, tau=1.0, scales="u tau", checks=8, stiff=False, amplification=None, events=None):
    """A model whose values are functions of time; `at` are its events."""
    CASES.append(dict(name=name, stop=stop, interval=interval, run=lambda nudge: Closed(outputs, at), count=0, outputs=outputs, units=units or {},
                      u=u, tau=tau, nudged=[], stiff=stiff, scales=scales.split(), checks=checks, amplification=amplification, expected=events))


def record(case):
    base = case["run"]([0.0] * case["count"])
    names, stop = list(case["outputs"]), case["stop"]
    grid = list(np.linspace(0, stop, 257)) + [t * (1 - 1e-13) for t in base.events if 0 < t <= stop]
    largest = {name: max(abs(base.value(name, t)) for t in grid) for name in names}
    times = records.check_times(stop, case["interval"], base.events, case["checks"])
    pairs = [(name, t) for name in names for t in times]
    grown = case.get("amplification") or amplification(case, base, pairs, largest, grid)
    unit = {name: case["units"].get(name, [1, 0]) for name in names}
    size = lambda name: case["u"] ** unit[name][0] * case["tau"] ** unit[name][1]
    it = dict(model=case["name"], stop=stop * case["tau"], interval=case["interval"] * case["tau"],
              largest={name: largest[name] * size(name) for name in names}, units=unit, amplification=grown, stiff=case["stiff"],
              parameters={name: case[name] for name in case["scales"]},
              checks=[dict(var=name, t=t * case["tau"], value=base.value(name, t) * size(name)) for name, t in pairs])
    if case["expected"] is not None: it["events"] = case["expected"]
    return it


def amplification(case, base, pairs, largest, grid):
    """Every state that may start elsewhere does so, by a share of its largest value, both ways."""
    runs = []
    for k in case["nudged"]:
        size = max(abs(base.state(t)[0][k]) for t in grid) or 1.0
        for sign in (1, -1):
            nudge = [0.0] * case["count"]
            nudge[k] = sign * records.NUDGE * size
            runs.append(case["run"](nudge).value)
    return records.amplification(base.value, runs, pairs, largest)


def main(kind):
    """Writes the references of a kind, or tries those that are named."""
    wanted, found = sys.argv[1:], []
    for case in CASES:
        if wanted and case["name"] not in wanted: continue
        began = time.time()
        try:
            it = record(case)
        except Exception as error:
            print(case["name"], "FAILS", type(error).__name__, str(error)[:300], flush=True)
            if len(wanted) == 1: raise
            continue
        text = (records.MODELS / kind / f"{case['name']}.mo").read_text()
        for name, value in it["parameters"].items():
            assert f"{name} = {value:g}" in text, (case["name"], name)
        found.append(it)
        print(case["name"], f"{time.time() - began:.1f} s", "amplification", it["amplification"], len(it["checks"]), "checks", flush=True)
    records.write(kind, found, wanted)
