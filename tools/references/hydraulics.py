"""Hydraulics: tanks, overflow, valves, flows as roots. Units: u of level, tau of time."""
import math
from math import cos, sin, sqrt

from cases import closed, hybrid, main

NUMBER, FLOW, TIME = [0, 0], [1, -1], [0, 1]


def set_to(**values):
    return lambda t, x, d: d.update(values)


def overflow(d):
    inflow = 0.5 if not d.late else -0.3
    late = [] if d.late else [(lambda t, x: 4 - t, set_to(late=True, full=False))]
    if d.full: return lambda t, x: [0, inflow], late
    return lambda t, x: [inflow, 0], late + [(lambda t, x: 1 - x[0], lambda t, x, d: d.update(full=True) or [1.0, x[1]])]


hybrid("TankOverflow", 6.0, 0.1, overflow, [0, 0], {"h": lambda t, x, d: x[0], "spilt": lambda t, x, d: x[1]}, dict(late=False, full=False), events=2)
closed("DrainTorricelli", 5.0, 0.1, {"h": lambda t: max(1 - 0.4 * t, 0) ** 2}, [2.5])


def valve(d):
    def flow(t, x):
        q = 0.6 * (x[0] - x[1]) if d.phase == 1 else 0
        return [-q, q - 0.1 * x[1]]
    return flow, [(lambda t, x: [1, 3, 1e9][d.phase] - t, lambda t, x, d: d.update(phase=d.phase + 1))]


hybrid("TwoTanksValve", 5.0, 0.1, valve, [2, 0.5], {"h1": lambda t, x, d: x[0], "h2": lambda t, x, d: x[1]}, dict(phase=0), events=2)
closed("TanksEqualize", 4.0, 0.1, {"h1": lambda t: 1.5 + max(1 - 0.5 * t, 0) ** 2 / 2, "h2": lambda t: 1.5 - max(1 - 0.5 * t, 0) ** 2 / 2}, [2.0])


def siphon(d):
    if d.flowing: return lambda t, x: [0.4 - 1.5 * sqrt(x[0] + 0.1)], [(lambda t, x: x[0] - 0.1, set_to(flowing=False))]
    return lambda t, x: [0.4], [(lambda t, x: 1 - x[0], set_to(flowing=True))]


hybrid("Siphon", 12.0, 0.1, siphon, [0], {"h": lambda t, x, d: x[0], "flowing": lambda t, x, d: d.flowing}, dict(flowing=False), {"flowing": NUMBER})


def check(d):
    gap = lambda t, x: sin(t) - x[0]
    if d.open: return lambda t, x: [(2 * gap(t, x) - 0.1 * x[0]) / 2], [(gap, set_to(open=False))]
    return lambda t, x: [-0.05 * x[0]], [(lambda t, x: -gap(t, x), set_to(open=True))]


hybrid("CheckValve", 15.0, 0.1, check, [0], {"p": lambda t, x, d: x[0], "q": lambda t, x, d: 2 * (sin(t) - x[0]) if d.open else 0}, dict(open=True), nudged=[])


def relief(d):
    pump = lambda t: 1 + sin(2 * t)
    if d.open: return lambda t, x: [0.0], [(lambda t, x: pump(t) - 0.8, set_to(open=False))]
    return lambda t, x: [pump(t) - 0.5 * x[0]], [(lambda t, x: 1.6 - x[0], lambda t, x, d: d.update(open=True) or [1.6])]


hybrid("ReliefValve", 12.0, 0.1, relief, [0], {"p": lambda t, x, d: x[0], "q": lambda t, x, d: 1 + sin(2 * t) - 0.8 if d.open else 0}, dict(open=False))


def cascade(d):
    def flow(t, x):
        inflow, rates = 0.7, []
        for k in range(3):
            net = inflow - 0.1 * x[k]
            inflow = net if d.full[k] else 0.0
            rates.append(0.0 if d.full[k] else net)
        return rates
    def fill(k):
        def act(t, x, d):
            d.full[k] = True
            x = list(x)
            x[k] = (k + 1) / 2
            return x
        return act
    return flow, [(lambda t, x, k=k: (k + 1) / 2 - x[k], fill(k)) for k in range(3) if not d.full[k]]


hybrid("CascadeThree", 12.0, 0.1, cascade, [0, 0, 0], {f"h[{k + 1}]": lambda t, x, d, k=k: x[k] for k in range(3)}, dict(full=[False] * 3), events=3)


def two_levels(d):
    flow = lambda t, x: [(0.5 if d.pump else 0) - 0.3 * sqrt(x[0])]
    if d.pump: return flow, [(lambda t, x: 0.9 - x[0], set_to(pump=False))]
    return flow, [(lambda t, x: x[0] - 0.3, lambda t, x, d: d.update(pump=True, starts=d.starts + 1))]


hybrid("PumpTwoLevels", 15.0, 0.1, two_levels, [0.5], {"h": lambda t, x, d: x[0], "starts": lambda t, x, d: d.starts}, dict(pump=True, starts=0), {"starts": NUMBER})


def flush(d):
    flow = lambda t, x: [max(0, min(0.5, 1 - x[0])) - (2 if d.flush else 0)]
    if d.phase == 0: return flow, [(lambda t, x: 2 - t, set_to(phase=1, flush=True, low=False))]
    guards = [(lambda t, x: 0.5 - x[0], set_to(low=False))] if d.low else [(lambda t, x: x[0] - 0.5, set_to(low=True))]
    if d.flush: guards.append((lambda t, x: x[0] - 0.1, set_to(flush=False)))
    return flow, guards


hybrid("FlushTank", 8.0, 0.1, flush, [0.95], {"h": lambda t, x, d: x[0]}, dict(phase=0, flush=False, low=False))


def hammer(d):
    """x = q, p."""
    if d.phase == 0: return lambda t, x: [0.2 - 0.2 * x[0], 0], [(lambda t, x: 1 - t, set_to(phase=1))]
    if d.phase == 1: return lambda t, x: [0.2 - x[1] - 0.1 * x[0], 2 * x[0]], [(lambda t, x: x[0], set_to(phase=2))]
    return lambda t, x: [0.2 - x[1] - 0.1 * x[0], 0], []


hybrid("WaterHammer", 4.0, 0.05, hammer, [1, 0], {"q": lambda t, x, d: x[0], "p": lambda t, x, d: x[1]}, dict(phase=0), events=2)


def tide(d):
    gap = lambda t, x: sin(0.5 * t) + 0.2 - x[0]
    rate = lambda g: 0.4 * sqrt(abs(g) + 0.01) - 0.04
    flow = lambda t, x: [rate(gap(t, x)) if d.side > 0 else -rate(gap(t, x))]
    return flow, [(lambda t, x: d.side * gap(t, x), lambda t, x, d: d.update(side=-d.side))]


hybrid("OrificeTwoWay", 20.0, 0.1, tide, [0], {"h": lambda t, x, d: x[0]}, dict(side=1))


def steps(d):
    area, limits = [1, 2, 4], [0.5, 1.0]
    flow = lambda t, x: [(0.5 + 0.4 * cos(t) - 0.2 * x[0]) / area[d.k]]
    guards = []
    if d.k < 2: guards.append((lambda t, x: limits[d.k] - x[0], lambda t, x, d: d.update(k=d.k + 1)))
    if d.k > 0: guards.append((lambda t, x: x[0] - limits[d.k - 1], lambda t, x, d: d.update(k=d.k - 1)))
    return flow, guards


hybrid("TankSteps", 15.0, 0.1, steps, [0], {"h": lambda t, x, d: x[0]}, dict(k=0))


def tipping(d):
    return lambda t, x: [1 + 0.8 * sin(t)], [(lambda t, x: 0.75 - x[0], lambda t, x, d: d.update(tips=d.tips + 1, last=t) or [0.0])]


hybrid("TippingBucket", 10.0, 0.1, tipping, [0], {"m": lambda t, x, d: x[0], "tips": lambda t, x, d: d.tips, "last": lambda t, x, d: d.last},
       dict(tips=0, last=0.0), {"tips": NUMBER, "last": TIME})


def accumulator(d):
    """The valve opens where the line is above p; it shuts where the pump stops, never by itself."""
    load = lambda t: 0.3 * (1 + cos(3 * t))
    if d.run: return lambda t, x: [(2 - x[0]) / 0.8 - load(t)], [(lambda t, x: 1.5 - x[0], set_to(run=False))]
    return lambda t, x: [-load(t)], [(lambda t, x: x[0] - 1, set_to(run=True))]


hybrid("Accumulator", 10.0, 0.1, accumulator, [0.5], {"p": lambda t, x, d: x[0], "q": lambda t, x, d: (2 - x[0]) / 0.8 if d.run else 0}, dict(run=True))


def sluice(d):
    def flow(t, x):
        return [0.1 - (0.9 * max(x[0] - (0.8 if d.raised else 1.5), 0) ** 1.5)]
    return flow, [] if d.raised else [(lambda t, x: 1 - t, set_to(raised=True))]


hybrid("LeakySluice", 8.0, 0.1, sluice, [1.4], {"h": lambda t, x, d: x[0]}, dict(raised=False))

if __name__ == "__main__":
    main("hydraulics")
