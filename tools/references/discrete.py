"""The discrete part: what `when`, `reinit`, `pre`, `edge`, `change`, `sample` and `initial` mean. Closed forms by hand."""
from math import asin, floor, pi

from cases import closed, hybrid, main

NUMBER = [0, 0]


def count(times, t): return sum(time <= t + 1e-12 for time in times)


def numbers(*names): return {name: NUMBER for name in names}


def samples(t): return int(floor(t + 1e-9))


HALVES = [0.5 + k for k in range(8)]
closed("ClausesSorted", 6.0, 0.1, {"a": lambda t: count(HALVES, t), "b": lambda t: count(HALVES, t) and 2 * count(HALVES, t) + 1,
                                   "c": lambda t: count(HALVES, t) and 3 * count(HALVES, t) + 1}, HALVES, numbers("a", "b", "c"), scales="tau")
closed("ChainOfEdges", 3.0, 0.1, {"x": lambda t: t if t < 1 else 2 - t, "n": lambda t: t >= 1, "r": lambda t: t >= 1}, [1.0], numbers("x", "n", "r"), scales="tau")
WHOLE = [float(k) for k in range(1, 12)]
closed("ReinitReadsAlgebraic", 4.8, 0.1, {"x": lambda t: 1 + 0.5 * (t - samples(t)), "y": lambda t: 2 + (t - samples(t))}, WHOLE, amplification=16.0)


def reset(t):
    """The state, and what the last sample saw."""
    x, seen = 0.0, 0.0
    for _ in range(samples(t)): seen, x = x + 1, 0.25 * (x + 1)
    return x + t - samples(t), seen


closed("ReadsBeforeReinit", 5.8, 0.1, {"x": lambda t: reset(t)[0], "a": lambda t: reset(t)[1], "b": lambda t: 2 * reset(t)[1], "c": lambda t: 3 * reset(t)[1]}, WHOLE)


def rotated(t):
    x, y, z = 1.0, 2.0, 4.0
    for _ in range(samples(t)):
        x, z = x + 0.1, z - 0.1
        x, y, z = y, z, x
    rest = t - samples(t)
    return x + 0.1 * rest, y, z - 0.1 * rest


closed("ReinitRotates", 6.8, 0.1, {n: lambda t, k=k: rotated(t)[k] for k, n in enumerate("xyz")}, WHOLE)
FIRST, SECOND = [1, 3, 5, 7, 9], [4, 10]
closed("FirstEdgeWins", 11.0, 0.1, {"n": lambda t: count(FIRST, t) + 10 * count(SECOND, t) + (t >= 11)}, FIRST + SECOND, numbers("n"), scales="tau")
EDGES = [1.0] + [1.5 + 2 * k for k in range(5)]
closed("VectorOfConditions", 9.0, 0.1, {"n": lambda t: count(EDGES, t)}, EDGES + [2.0 * k for k in range(1, 5)], numbers("n"), scales="tau")
UP, DOWN = [(asin(0.5) + 2 * pi * k) / 2 for k in range(5)], [(pi - asin(0.5) + 2 * pi * k) / 2 for k in range(5)]
closed("EdgeAndChange", 12.0, 0.1, {"up": lambda t: count(UP, t), "both": lambda t: count(UP + DOWN, t), "steps": lambda t: count(UP, t) * (count(UP, t) + 1) // 2},
       UP + DOWN, numbers("up", "both", "steps"), scales="tau")
closed("ShiftRegister", 6.8, 0.1, {"a": lambda t: samples(t), "b": lambda t: max(samples(t) - 1, 0), "c": lambda t: max(samples(t) - 2, 0)}, WHOLE)
closed("AtTheStart", 3.8, 0.1, {"a": lambda t: 7, "b": lambda t: samples(t) + 1, "c": lambda t: samples(t) + 1, "d": lambda t: 0, "e": lambda t: 1},
       WHOLE, numbers("a", "b", "c", "d", "e"), scales="tau")
last = lambda t: 0.5 * floor(2 * t + 1e-9)
closed("LoopWithContinuous", 3.8, 0.1, {"x": lambda t: 5 + last(t), "y": lambda t: -1 - last(t), "z": lambda t: 4 + 2 * last(t)}, [0.5 * k for k in range(1, 8)])
closed("RedoneNotAdded", 2.0, 0.1, {"n": lambda t: t >= 1, "hits": lambda t: 0, "armed": lambda t: t < 1}, [1.0], numbers("n", "hits", "armed"), scales="tau", events=1)
closed("OncePerEdge", 2.0, 0.1, {"n": lambda t: t >= 1, "m": lambda t: t >= 1, "k": lambda t: 2 * (t >= 1)}, [1.0], numbers("n", "m", "k"), scales="tau", events=1)
closed("ReinitTriggers", 3.0, 0.1, {"x": lambda t: t if t < 1 else t + 4, "y": lambda t: -t if t < 1 else 11 - t, "seen": lambda t: 5 * (t >= 1)}, [1.0], events=1)
closed("SamplesMeet", 6.0, 0.1, {"a": lambda t: floor(2 * t + 1e-9), "b": lambda t: floor(t / 0.75 + 1e-9), "together": lambda t: floor(t / 1.5 + 1e-9)},
       [0.5 * k for k in range(1, 12)] + [0.75 * k for k in range(1, 8)], numbers("a", "b", "together"), scales="")


def branches(t):
    x = 0.0
    for k in range(samples(t)): x = -1.0 if k == 1 else 0.5 * (x + 1)
    return x + t - samples(t)


closed("BranchesInWhen", 4.8, 0.1, {"x": branches, "n": samples}, WHOLE, numbers("n"))


def divided(t):
    """The integral of n - m/2, both constant between multiples of 0.5 of x = t + 0.3."""
    y, x = 0.0, 0.3
    while x < t + 0.3 - 1e-13:
        end = min(0.5 * (floor(2 * x + 1e-9) + 1), t + 0.3)
        middle = (x + end) / 2
        y, x = y + (end - x) * (floor(middle) - 0.5 * floor((2 * middle) % 3)), end
    return y


closed("DivisionsOfTime", 5.0, 0.1, {"y": divided, "n": lambda t: floor(t + 0.3), "m": lambda t: floor((2 * (t + 0.3)) % 3)}, [0.5 * k - 0.3 for k in range(1, 11)],
       numbers("y", "n", "m"), scales="tau")
closed("DerivativeInWhen", 3.0, 0.1, {"x": lambda t: t if t < 1 else 3 - 2 * t, "a": lambda t: -2 * (t >= 1), "b": lambda t: t >= 1}, [1.0], events=1)
closed("SuccessiveClauses", 3.0, 0.1, {"x": lambda t: t if t < 1 else t + 4}, [1.0], events=1)


def peaks(d):
    """x' = v, v' = -4 x - 0.4 v; the first peak is right after the start."""
    flow = lambda t, x: [x[1], -4 * x[0] - 0.4 * x[1]]
    if d.falling: return flow, [(lambda t, x: -x[1], lambda t, x, d: d.update(falling=False))]
    return flow, [(lambda t, x: x[1], lambda t, x, d: d.update(falling=True, peak=x[0], before=d.peak))]


hybrid("MemoryOfMaximum", 12.0, 0.1, peaks, [1, 0], {"x": lambda t, x, d: x[0], "peak": lambda t, x, d: d.peak, "before": lambda t, x, d: d.before},
       dict(falling=True, peak=1.0, before=0.0), nudged=[])

if __name__ == "__main__":
    main("discrete")
