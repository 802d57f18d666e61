"""Writes models and references of power electronics: `python write_power.py [NAME…]` (all without a name)."""
import sys
import time

import numpy as np

import power
import records
from network import Run, declare_s


def nudges(run):
    """Starts that differ by a little: every state alone, by a share of its largest value, in a direction that can be."""
    for name in run.states():
        size = records.NUDGE * largest(run, name)
        for sign in (1, -1):
            try:
                yield Run(run.net, {name: sign * size}).value
                break
            except RuntimeError:
                continue


def largest(run, name):
    times = np.linspace(0, run.net.stop, 200)
    return max((abs(v) for v in (run.value(name, t) for t in times) if v is not None), default=0.0)


def record(net):
    base, fine = Run(net), Run(net, samples=1000)
    names = base.states() + net.watch
    times = records.check_times(net.stop, net.interval, base.event_times())
    sizes = {name: largest(base, name) for name in names}
    pairs = [(name, t) for name in names for t in times if base.value(name, t) is not None]
    for name, t in pairs:  # twice as fine a search for events must not change anything
        assert abs(base.value(name, t) - fine.value(name, t)) <= 1e-9 * sizes[name] + 1e-12, (net.name, name, t)
    grown = records.amplification(base.value, nudges(base), pairs, sizes)
    checks = [dict(var=name, t=t * net.tau, value=base.value(name, t) * net.unit) for name, t in pairs]
    return dict(model=net.name, stop=net.stop * net.tau, interval=net.interval * net.tau,
                largest={name: size * net.unit for name, size in sizes.items()},
                units={name: [1, 0] for name in names}, amplification=grown, stiff=net.stiff,
                parameters=dict(u=net.unit, tau=net.tau), checks=checks)


def main():
    wanted, found = sys.argv[1:], []
    for net in power.all_nets():
        if wanted and net.name not in wanted: continue
        began = time.time()
        try:
            it = record(net)
        except Exception as error:
            print(net.name, "FAILS", type(error).__name__, str(error)[:300], flush=True)
            continue
        found.append(it)
        text = declare_s(net.text(), net)
        (records.MODELS / "power").mkdir(parents=True, exist_ok=True)
        (records.MODELS / "power" / f"{net.name}.mo").write_text(text)
        print(net.name, f"{time.time() - began:.1f} s", "amplification", it["amplification"], len(it["checks"]), "checks", flush=True)
    records.write("power", found, wanted)


main()
