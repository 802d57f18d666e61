"""Impulses and variable dimension: what is put together shares its charge, flux or momentum. Units: u, tau."""
import math
from math import cos, exp, sin

from cases import closed, hybrid, main

NUMBER, SPEED = [0, 0], [1, -1]


def phases(times, flows, jumps):
    """A system that goes from one flow to the next at given times; `jumps[k]` maps the states at `times[k]`."""
    def system(d):
        def go(t, x, d):
            d.k += 1
            return jumps[d.k - 1](x)
        guards = [(lambda t, x: times[d.k] - t, go)] if d.k < len(times) else []
        return flows[d.k], guards
    return system


same = lambda x: list(x)
names = lambda *list_of: {n: lambda t, x, d, k=k: x[k] for k, n in enumerate(list_of)}

apart = lambda t, x: [-0.1 * x[0], -0.25 * x[1]]
hybrid("CapacitorsParallel", 5.0, 0.05, phases([1, 3], [apart, lambda t, x: [-0.2 * x[0]] * 2, apart], [lambda x: [(x[0] + 2 * x[1]) / 3] * 2, same]),
       [3, 0], names("v1", "v2"), dict(k=0), events=2)
hybrid("CapacitorsThree", 4.0, 0.05,
       phases([1, 2], [lambda t, x: [0, -0.15 * x[1], 0], lambda t, x: [-0.1 * x[1], -0.1 * x[1], 0], lambda t, x: [-0.05 * x[1]] * 3],
              [lambda x: [(x[0] + 2 * x[1]) / 3] * 2 + [x[2]], lambda x: [(3 * x[0] + 3 * x[2]) / 6] * 3]),
       [1, -2, 4], names("v[1]", "v[2]", "v[3]"), dict(k=0), events=2)
hybrid("InductorsSeries", 4.0, 0.05, phases([1], [lambda t, x: [1 - 0.4 * x[0], -0.2 * x[1] / 3], lambda t, x: [(1 - 0.6 * x[0]) / 4] * 2],
                                           [lambda x: [(x[0] + 3 * x[1]) / 4] * 2]), [2, 0], names("i1", "i2"), dict(k=0), events=1)
TIMES = [0.5 * k for k in range(1, 10)]
hybrid("InductorsRepeated", 4.8, 0.05, phases(TIMES, [(lambda t, x: [1 - 0.4 * x[0], -0.1 * x[1]]) if k % 2 == 0 else (lambda t, x: [(1 - 0.6 * x[0]) / 3] * 2) for k in range(10)],
                                             [(lambda x: [(x[0] + 2 * x[1]) / 3] * 2) if k % 2 == 0 else same for k in range(9)]),
       [0, 0], names("i1", "i2"), dict(k=0), events=9)
free = lambda t, x: [2, -0.25 * x[1], x[1]]
hybrid("DogClutch", 4.0, 0.05, phases([1, 2.5], [free, lambda t, x: [(2 - 0.5 * x[0]) / 3] * 2 + [x[1]], free], [lambda x: [(x[0] + 2 * x[1]) / 3] * 2 + [x[2]], same]),
       [0, 1, 0], names("w1", "w2", "turned"), dict(k=0), {"w1": SPEED, "w2": SPEED}, events=2)
hybrid("DogClutchesThree", 3.0, 0.05,
       phases([1, 2], [lambda t, x: [-0.1 * x[0], 0.25, -0.4 / 3 * x[2]], lambda t, x: [(0.5 - 0.5 * x[0]) / 6] * 3,
                       lambda t, x: [(0.5 - 0.1 * x[0]) / 3] * 2 + [-0.4 / 3 * x[2]]], [lambda x: [(x[0] + 2 * x[1] + 3 * x[2]) / 6] * 3, same]),
       [4, 0, -1], names("w[1]", "w[2]", "w[3]"), dict(k=0), {f"w[{k}]": SPEED for k in (1, 2, 3)}, events=2)
hybrid("GearMeshes", 4.0, 0.05, phases([1], [lambda t, x: [0.3 - 0.2 * x[0], -0.125 * x[1]], lambda t, x: [(0.6 - 0.65 * x[0]) / 4, (0.6 - 0.65 * x[0]) / 8]],
                                      [lambda x: [(2 * x[0] + 4 * x[1]) / 4, (2 * x[0] + 4 * x[1]) / 8]]), [3, 0], names("w1", "w2"), dict(k=0),
       {"w1": SPEED, "w2": SPEED}, events=1)


def chain(t):
    """Positions and speeds: impacts at 0.25, 0.75 and 1.05."""
    if t < 0.25: return [2 * t, 0.5, 1, 1.2], [2, 0, 0, 0]
    if t < 0.75: return [0.5 + t - 0.25] * 2 + [1, 1.2], [1, 1, 0, 0]
    if t < 1.05: return [1 + (t - 0.75) * 2 / 3] * 3 + [1.2], [2 / 3] * 3 + [0]
    return [1.2 + 10 * (1 - exp(-0.05 * (t - 1.05)))] * 4, [0.5 * exp(-0.05 * (t - 1.05))] * 4


closed("ImpactChain", 2.0, 0.05, {**{f"x[{k + 1}]": lambda t, k=k: chain(t)[0][k] for k in range(4)}, **{f"v[{k + 1}]": lambda t, k=k: chain(t)[1][k] for k in range(4)}},
       [0.25, 0.75, 1.05], {f"v[{k + 1}]": SPEED for k in range(4)}, amplification=2.0, events=3)


def shaft(d):
    if d.broken: return lambda t, x: [t, -0.5 * x[1]], []
    return lambda t, x: [(t - x[0]) / 3] * 2, [(lambda t, x: 1 - (2 * t + x[0]) / 3, lambda t, x, d: d.update(broken=True))]


hybrid("BreakingShaft", 3.0, 0.05, shaft, [0, 0], names("w1", "w2"), dict(broken=False), {"w1": SPEED, "w2": SPEED}, nudged=[], events=1)


def pendulum_to_flight(d):
    """x = angle and its speed, or x, y, vx, vy."""
    if d.cut: return lambda t, x: [x[2], x[3], 0, -5], []
    def cut(t, x, d):
        d.cut = True
        return [sin(x[0]), -cos(x[0]), x[1] * cos(x[0]), x[1] * sin(x[0])]
    return lambda t, x: [x[1], -5 * sin(x[0]), 0, 0], [(lambda t, x: 0.8 - t, cut)]


def place(k):
    """Coordinate k of the mass, by the angle or directly."""
    def at(t, x, d):
        swinging = getattr(d, "taut", None) if "taut" in d else not d.cut
        if not swinging: return x[k]
        return [sin(x[0]), -cos(x[0]), x[1] * cos(x[0]), x[1] * sin(x[0])][k]
    return at


PLACES = {n: place(k) for k, n in enumerate(["x", "y", "vx", "vy"])}
hybrid("WireCut", 1.6, 0.02, pendulum_to_flight, [math.asin(0.8), 0, 0, 0], PLACES, dict(cut=False), {"vx": SPEED, "vy": SPEED}, nudged=[0, 1], events=1)


def flight_to_pendulum(d):
    if d.taut: return lambda t, x: [x[1], -5 * sin(x[0]), 0, 0], []
    def catch(t, x, d):
        d.taut, phi = True, math.atan2(x[0], -x[1])
        return [phi, x[2] * cos(phi) + x[3] * sin(phi), 0, 0]
    return lambda t, x: [x[2], x[3], 0, -5], [(lambda t, x: 1 - x[0] ** 2 - x[1] ** 2, catch)]


hybrid("RopeCatches", 2.0, 0.02, flight_to_pendulum, [0.6, 0, 0, 0], PLACES, dict(taut=False), {"vx": SPEED, "vy": SPEED}, events=1)
closed("PrescribedSpeed", 4.0, 0.05, {"x": lambda t: t - t * t / 4 if t < 1 else 0.75 + 2 * (sin(t) - sin(1)), "v": lambda t: 1 - t / 2 if t < 1 else 2 * cos(t),
                                      "p": lambda t: 0 if t < 1 else 2 * cos(t) - 1 + t / 2}, [1.0], {"v": SPEED, "p": SPEED}, events=1)
closed("PrescribedPosition", 4.0, 0.05, {"x": lambda t: t if t < 1 else 1 + sin(2 * (t - 1)), "v": lambda t: 1 if t < 1 else 2 * cos(2 * (t - 1)),
                                         "p": lambda t: 0 if t < 1 else 2 * cos(2 * (t - 1)) - 1}, [1.0], {"v": SPEED, "p": SPEED}, events=1)
closed("PositionJumps", 3.0, 0.05, {"x": lambda t: 1 + t / 2 if t < 1 else t, "v": lambda t: 0.5 if t < 1 else 1, "p": lambda t: 0 if t < 1 else 0.5,
                                    "q": lambda t: 0 if t < 1 else t / 2 - 1}, [1.0], {"v": SPEED, "p": SPEED}, events=1)
hybrid("ChargePump", 4.8, 0.05, phases(TIMES, [(lambda t, x: [10 * (1 - x[0]), -0.2 / 3 * x[1]]) if k % 2 == 0 else (lambda t, x: [-0.05 * x[0]] * 2) for k in range(10)],
                                      [(lambda x: [(x[0] + 3 * x[1]) / 4] * 2) if k % 2 == 0 else same for k in range(9)]),
       [0, 0], names("v", "out"), dict(k=0), events=9)
closed("CapacitorToSource", 4.0, 0.05, {"v": lambda t: 0 if t < 1 else 1 + 0.2 * t if t < 2 else 1.4 * exp(-0.25 * (t - 2)),
                                        "q": lambda t: 0 if t < 1 else 2.4 + 0.9 * (min(t, 2) - 1) + 0.05 * (min(t, 2) ** 2 - 1)}, [1.0, 2.0], events=2)
loaded = lambda t: (1 - exp(-0.15 * t)) / 0.3
closed("InductorCut", 3.0, 0.05, {"i": lambda t: loaded(t) if t < 1 else 0 if t < 1.5 else loaded(t - 1.5),
                                  "flux": lambda t: 0 if t < 1 else 2 * loaded(1) + min(t, 1.5) - 1}, [1.0, 1.5], events=2)


def state_or_function(t):
    if t < 1: return exp(-t), 1 - exp(-t)
    if t < 2: return cos(t), 1 - exp(-1) + sin(t) - sin(1)
    y2 = 1 - exp(-1) + sin(2) - sin(1)
    if t < 3: return cos(2) * exp(2 - t), y2 + cos(2) * (1 - exp(2 - t))
    return cos(t), y2 + cos(2) * (1 - exp(-1)) + sin(t) - sin(3)


closed("StateOrFunction", 3.9, 0.05, {"x": lambda t: state_or_function(t)[0], "y": lambda t: state_or_function(t)[1]}, [1.0, 2.0, 3.0], events=3)
walls = lambda t, x: [0.2, -0.4 / 3 * x[1]]
hybrid("TwoTanksJoined", 4.0, 0.05, phases([1, 2], [walls, lambda t, x: [(0.2 - 0.4 * x[0]) / 4] * 2, walls], [lambda x: [(x[0] + 3 * x[1]) / 4] * 2, same]),
       [2, 0.5], names("h1", "h2"), dict(k=0), events=2)

if __name__ == "__main__":
    main("impulses")
