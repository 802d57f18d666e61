"""Mechanics: impacts, friction, clutches, backlash, ropes, contacts, latches. Units: u of length, tau of time, mass 1."""
import math
from math import cos, exp, sin

from cases import closed, hybrid, main

LENGTH, SPEED, FORCE, NUMBER = [1, 0], [1, -1], [1, -2], [0, 0]


def set_to(**values):
    """An action that only changes discrete values."""
    return lambda t, x, d: d.update(values)


# ---- impacts ----

def ball_reinit(d):
    def bounce(t, x, d):
        d.n += 1
        return [x[0], -0.7 * x[1]]
    return lambda t, x: [x[1], -9.81], [(lambda t, x: x[0] if x[1] < 0 else 1, bounce)]


hybrid("BallReinit", 1.8, 0.02, ball_reinit, [1, 0], {"h": lambda t, x, d: x[0], "v": lambda t, x, d: x[1], "n": lambda t, x, d: d.n},
       dict(n=0), {"v": SPEED, "n": NUMBER}, nudged=[0, 1], events=3)


def ball_to_rest(t, g=10.0, e=0.6):
    """Height and speed of a ball from height 1 with restitution e, also after its impacts have accumulated."""
    fall = math.sqrt(2 / g)
    if t < fall: return 1 - g * t * t / 2, -g * t
    begin, speed = fall, e * g * fall
    while speed > 1e-12:
        if t < begin + 2 * speed / g: return speed * (t - begin) - g * (t - begin) ** 2 / 2, speed - g * (t - begin)
        begin, speed = begin + 2 * speed / g, e * speed
    return 0.0, 0.0


def impacts_to_rest(g=10.0, e=0.6):
    times = [math.sqrt(2 / g)]
    while e ** len(times) > 1e-12: times.append(times[-1] + 2 * e ** len(times) * math.sqrt(2 * g) / g)
    return times


closed("BallToRest", 3.0, 0.02, {"h": lambda t: ball_to_rest(t)[0], "v": lambda t: ball_to_rest(t)[1]}, impacts_to_rest(), {"v": SPEED}, amplification=4.0)


def two_walls(d):
    return lambda t, x: [x[1], 0], [(lambda t, x: 1 - x[0] if x[1] > 0 else 1, lambda t, x, d: [x[0], -0.9 * x[1]]),
                                    (lambda t, x: x[0] if x[1] < 0 else 1, lambda t, x, d: [x[0], -0.8 * x[1]])]


hybrid("BallTwoWalls", 12.0, 0.1, two_walls, [0.3, 1], {"x": lambda t, x, d: x[0], "v": lambda t, x, d: x[1]}, units={"v": SPEED})


def stairs(d):
    def step(t, x, d): d.n += 1
    guards = [(lambda t, x: d.n + 1 - x[0], step),
              (lambda t, x: x[1] + 0.2 * d.n if x[2] < 0 else 1, lambda t, x, d: [x[0], x[1], -0.85 * x[2]])]
    return lambda t, x: [1, x[2], -9.81], guards


hybrid("BallStairs", 4.5, 0.05, stairs, [0, 1, 0], {"h": lambda t, x, d: x[1], "v": lambda t, x, d: x[2]}, dict(n=0), {"v": SPEED}, nudged=[1, 2])


def shaken(d):
    speed = lambda t: 0.35 * cos(7 * t)
    guard = lambda t, x: x[0] - 0.05 * sin(7 * t) if x[1] < speed(t) else 1
    return lambda t, x: [x[1], -9.81], [(guard, lambda t, x, d: [x[0], speed(t) - 0.6 * (x[1] - speed(t))])]


hybrid("BallShakenTable", 1.3, 0.02, shaken, [0.8, 0], {"h": lambda t, x, d: x[0], "v": lambda t, x, d: x[1]}, units={"v": SPEED})


def pair_elastic(d):
    def collide(t, x, d):
        a, b = x[2], x[3]
        return [x[0], x[1], (-2 * a + 6 * b) / 4, (2 * b + 2 * a) / 4]
    guards = [(lambda t, x: x[1] - x[0] if x[2] > x[3] else 1, collide),
              (lambda t, x: x[0] if x[2] < 0 else 1, lambda t, x, d: [x[0], x[1], -x[2], x[3]]),
              (lambda t, x: 1 - x[1] if x[3] > 0 else 1, lambda t, x, d: [x[0], x[1], x[2], -x[3]])]
    return lambda t, x: [x[2], x[3], 0, 0], guards


hybrid("PairElastic", 6.0, 0.05, pair_elastic, [0.2, 0.6, 1, 0], {n: lambda t, x, d, k=k: x[k] for k, n in enumerate(["x1", "x2", "v1", "v2"])},
       units={"v1": SPEED, "v2": SPEED})


def pair_plastic(d):
    push = lambda t: 3 * cos(t)
    if d.touch:
        flow = lambda t, x: [x[2], x[2], push(t) / 3, push(t) / 3]
        return flow, [(lambda t, x: push(t) / 3, set_to(touch=False))]
    def hit(t, x, d):
        d.touch = True
        v = (2 * x[2] + x[3]) / 3
        return [x[0], x[0], v, v]
    return lambda t, x: [x[2], x[3], push(t) / 2, 0], [(lambda t, x: x[1] - x[0], hit)]


hybrid("PairPlastic", 7.0, 0.05, pair_plastic, [0, 1, 1, 0], {n: lambda t, x, d, k=k: x[k] for k, n in enumerate(["x1", "x2", "v1", "v2"])},
       dict(touch=False), {"v1": SPEED, "v2": SPEED})


# ---- friction ----

def coulomb(applied, limit, mass=1.0):
    """A block at x[0] with speed x[1]; `applied(t, x)` is the force besides friction."""
    def system(d):
        if d.mode == 0:
            return lambda t, x: [0, 0], [(lambda t, x: limit - applied(t, x), set_to(mode=1)), (lambda t, x: limit + applied(t, x), set_to(mode=-1))]
        stop = lambda t, x, d: d.update(mode=0) or [x[0], 0.0]
        return lambda t, x: [x[1], (applied(t, x) - d.mode * limit) / mass], [(lambda t, x: d.mode * x[1], stop)]
    return system


X_V = {"x": lambda t, x, d: x[0], "v": lambda t, x, d: x[1]}
hybrid("CoulombSine", 20.0, 0.1, coulomb(lambda t, x: 2 * sin(t), 1.0), [0, 0], X_V, dict(mode=0), {"v": SPEED}, nudged=[0])
hybrid("CoulombStop", 4.0, 0.05, coulomb(lambda t, x: 0.0, 2.0), [0, 3], X_V, dict(mode=1), {"v": SPEED}, nudged=[0, 1], events=1)
hybrid("SpringCoulomb", 8.0, 0.05, coulomb(lambda t, x: -4 * x[0], 0.4), [1.05, 0], X_V, dict(mode=0), {"v": SPEED}, nudged=[0])


def belt(d):
    if d.stick: return lambda t, x: [0.5, 0], [(lambda t, x: 1.5 - x[0], set_to(stick=False))]
    return lambda t, x: [x[1], 0.8 - x[0]], [(lambda t, x: 0.5 - x[1], lambda t, x, d: d.update(stick=True) or [x[0], 0.5])]


hybrid("BeltStickSlip", 25.0, 0.1, belt, [0, 0.5], X_V, dict(stick=True), {"v": SPEED}, nudged=[0])


def stacked(d):
    """x = v1, v2, x2; a, b: 1, -1 slipping, 0 sticking."""
    push, F, G = (lambda t: 7 * sin(t)), 2.5, 0.9
    def forces(t):
        if d.a and d.b: return d.a * F, d.b * G
        if d.a: return d.a * F, (push(t) - d.a * F) / 3
        if d.b: return push(t) - d.b * G, d.b * G
        return push(t), 0.0
    def flow(t, x):
        f1, f2 = forces(t)
        return [(push(t) - f1 - f2) / 2 if d.a else 0.0, f2 if d.a or d.b else 0.0, x[1]]
    def rest_1(t, x, d):
        d.a = 0
        return [0.0, 0.0 if not d.b else x[1], x[2]]
    def rest_2(t, x, d):
        d.b = 0
        return [x[0], x[0], x[2]]
    guards = [(lambda t, x: d.a * x[0], rest_1)] if d.a else \
        [(lambda t, x: F - forces(t)[0], set_to(a=1)), (lambda t, x: F + forces(t)[0], set_to(a=-1))]
    guards += [(lambda t, x: d.b * (x[0] - x[1]), rest_2)] if d.b else \
        [(lambda t, x: G - forces(t)[1], set_to(b=1)), (lambda t, x: G + forces(t)[1], set_to(b=-1))]
    return flow, guards


hybrid("BlocksStacked", 20.0, 0.1, stacked, [0, 0, 0], {"v1": lambda t, x, d: x[0], "v2": lambda t, x, d: x[1], "x2": lambda t, x, d: x[2]},
       dict(a=0, b=0), {"v1": SPEED, "v2": SPEED}, nudged=[2])


def clutch(d):
    """phase 0: open; 1: slipping; 2: sticking."""
    torque = {0: 0.0, 1: 2.0}
    stuck = lambda x: (2 * (0.5 - 0.2 * x[0]) + 0.1 * x[1]) / 3
    def flow(t, x):
        m = stuck(x) if d.phase == 2 else torque[d.phase]
        return [0.5 - 0.2 * x[0] - m, (m - 0.1 * x[1]) / 2]
    if d.phase == 0: guards = [(lambda t, x: 1 - t, set_to(phase=1))] if not d.opened else []
    elif d.phase == 1: guards = [(lambda t, x: x[0] - x[1], lambda t, x, d: d.update(phase=2) or [x[0], x[0]])]
    else: guards = [(lambda t, x: 5 - t, set_to(phase=0, opened=True))]
    return flow, guards


hybrid("ClutchEngages", 9.0, 0.05, clutch, [3, 0], {"w1": lambda t, x, d: x[0], "w2": lambda t, x, d: x[1]}, dict(phase=0, opened=False),
       {"w1": SPEED, "w2": SPEED}, nudged=[0, 1])


def one_way(d):
    push = lambda t: 2 * sin(t)
    torque = lambda t, x: (2 * (push(t) - 0.3 * x[0]) + 0.4 * x[1]) / 3
    flow = lambda t, x: [push(t) - 0.3 * x[0] - (torque(t, x) if d.locked else 0), ((torque(t, x) if d.locked else 0) - 0.4 * x[1]) / 2]
    if d.locked: return flow, [(torque, set_to(locked=False))]
    return flow, [(lambda t, x: x[1] - x[0], lambda t, x, d: d.update(locked=True) or [x[0], x[0]])]


hybrid("OneWayClutch", 20.0, 0.1, one_way, [0, 0], {"w1": lambda t, x, d: x[0], "w2": lambda t, x, d: x[1]}, dict(locked=True),
       {"w1": SPEED, "w2": SPEED}, nudged=[])


# ---- backlash, ropes, contacts ----

def backlash_elastic(d):
    def flow(t, x):
        g = x[0] - x[1]
        m = 20 * (g - 0.2 * d.side) if d.side else 0.0
        return [x[2], x[3], sin(t) - m, m - 0.3 * x[3]]
    gap = lambda t, x: x[0] - x[1]
    if d.side: return flow, [(lambda t, x: d.side * gap(t, x) - 0.2, set_to(side=0))]
    return flow, [(lambda t, x: 0.2 - gap(t, x), set_to(side=1)), (lambda t, x: 0.2 + gap(t, x), set_to(side=-1))]


hybrid("BacklashElastic", 15.0, 0.1, backlash_elastic, [0, 0, 0, 0], {n: lambda t, x, d, k=k: x[k] for k, n in enumerate(["p1", "p2", "w1", "w2"])},
       dict(side=0), {"w1": SPEED, "w2": SPEED})


def backlash_plastic(d):
    torque = lambda t, x: (sin(t) + 2 * 0.3 * x[3]) / 3  # both go on with (sin t - 0.3 w)/3
    def flow(t, x):
        m = torque(t, x) if d.side else 0.0
        return [x[2], x[3], (sin(t) - m) / 2, m - 0.3 * x[3]]
    if d.side: return flow, [(lambda t, x: d.side * torque(t, x), set_to(side=0))]
    def hit(side):
        def act(t, x, d):
            d.side, w = side, (2 * x[2] + x[3]) / 3
            return [x[1] + 0.1 * side, x[1], w, w]
        return act
    return flow, [(lambda t, x: 0.1 - x[0] + x[1], hit(1)), (lambda t, x: 0.1 + x[0] - x[1], hit(-1))]


hybrid("BacklashPlastic", 15.0, 0.1, backlash_plastic, [0, 0, 0, 0], {n: lambda t, x, d, k=k: x[k] for k, n in enumerate(["p1", "p2", "w1", "w2"])},
       dict(side=0), {"w1": SPEED, "w2": SPEED})


def rope_taut(d):
    if d.taut: return lambda t, x: [0, 0], []
    return lambda t, x: [x[1], -9.81], [(lambda t, x: x[0] + 1, lambda t, x, d: d.update(taut=True) or [-1, 0])]


hybrid("RopeTaut", 1.5, 0.02, rope_taut, [-0.5, 3], {"h": lambda t, x, d: x[0], "v": lambda t, x, d: x[1]}, dict(taut=False), {"v": SPEED}, events=1)


def rope_elastic(d):
    if d.taut: return lambda t, x: [x[1], -9.81 - 30 * (x[0] + 1) - 0.5 * x[1]], [(lambda t, x: -1 - x[0], set_to(taut=False))]
    return lambda t, x: [x[1], -9.81], [(lambda t, x: x[0] + 1, set_to(taut=True))]


hybrid("RopeElastic", 6.0, 0.05, rope_elastic, [0, 0], {"h": lambda t, x, d: x[0], "v": lambda t, x, d: x[1]}, dict(taut=False), {"v": SPEED})


def atwood(d):
    """x = y1, v1, y2, v2."""
    if d.together:
        return lambda t, x: [x[1], -5, x[3], 5], [(lambda t, x: x[0], lambda t, x, d: d.update(together=False) or [0, 0, 1, x[3]])]
    jerk = lambda t, x, d: d.update(together=True) or [0, -x[3] / 4, 1, x[3] / 4]
    return lambda t, x: [0, 0, x[3], -10], [(lambda t, x: x[2] - 1 if x[3] < 0 else 1, jerk)]


hybrid("AtwoodFloor", 1.78, 0.02, atwood, [1, 0, 0, 0], {n: lambda t, x, d, k=k: x[k] for k, n in enumerate(["y1", "v1", "y2", "v2"])},
       dict(together=True), {"v1": SPEED, "v2": SPEED}, nudged=[])


def pendulum_stop(d):
    return lambda t, x: [x[1], -9.81 * sin(x[0])], [(lambda t, x: x[0] + 0.3 if x[1] < 0 else 1, lambda t, x, d: [x[0], -0.8 * x[1]])]


hybrid("PendulumStop", 6.0, 0.05, pendulum_stop, [1, 0], {"phi": lambda t, x, d: x[0], "w": lambda t, x, d: x[1]}, units={"phi": NUMBER, "w": [0, -1]}, scales="tau")


# ---- more: latches, ratchets, clocks ----

def peg(d):
    length = 0.4 if d.short else 1.0
    flow = lambda t, x: [x[1], -9.81 / length * sin(x[0])]
    if d.short: return flow, [(lambda t, x: -x[0], lambda t, x, d: d.update(short=False) or [x[0], x[1] * 0.4])]
    return flow, [(lambda t, x: x[0], lambda t, x, d: d.update(short=True) or [x[0], x[1] / 0.4])]


hybrid("PegPendulum", 5.0, 0.05, peg, [0.6, 0], {"phi": lambda t, x, d: x[0], "w": lambda t, x, d: x[1]}, dict(short=False),
       {"phi": NUMBER, "w": [0, -1]}, scales="tau")


def jenkins(d):
    """Slips with the foot of the spring 0.4 behind; sticks at each turn."""
    if d.mode:
        return lambda t, x: [cos(t)], [(lambda t, x: d.mode * cos(t), set_to(mode=0))]
    return lambda t, x: [0.0], [(lambda t, x: 0.4 - sin(t) + x[0], set_to(mode=1)), (lambda t, x: 0.4 + sin(t) - x[0], set_to(mode=-1))]


hybrid("Jenkins", 15.0, 0.1, jenkins, [0], {"z": lambda t, x, d: x[0], "f": lambda t, x, d: 5 * (sin(t) - x[0])}, dict(mode=0), {"f": FORCE}, nudged=[0])


def stops(d):
    def flow(t, x): return [x[1], 0.6 * cos(0.8 * t) - 0.4 * x[1] - (40 * (x[0] - 0.5 * d.side) if d.side else 0)]
    if d.side: return flow, [(lambda t, x: d.side * x[0] - 0.5, set_to(side=0))]
    return flow, [(lambda t, x: 0.5 - x[0], set_to(side=1)), (lambda t, x: 0.5 + x[0], set_to(side=-1))]


hybrid("StopsElastic", 15.0, 0.1, stops, [0, 0.5], X_V, dict(side=0), {"v": SPEED})


def unilateral(d):
    """0: in the air, 1: pressed, 2: below the surface, but the damper would pull."""
    force = lambda x: -400 * x[0] - 5 * x[1]
    flow = lambda t, x: [x[1], (force(x) if d.mode == 1 else 0) - 10]
    if d.mode == 0: return flow, [(lambda t, x: x[0], set_to(mode=1))]
    if d.mode == 1: return flow, [(lambda t, x: force(x), set_to(mode=2)), (lambda t, x: -x[0], set_to(mode=0))]
    return flow, [(lambda t, x: -force(x), set_to(mode=1)), (lambda t, x: -x[0], set_to(mode=0))]


hybrid("ContactUnilateral", 3.0, 0.02, unilateral, [1, 0], {"h": lambda t, x, d: x[0], "v": lambda t, x, d: x[1]}, dict(mode=0), {"v": SPEED}, max_step=0.01)


def hopper(d):
    if not d.stance: return lambda t, x: [x[1], -10], [(lambda t, x: x[0] - 1, set_to(stance=True, k=50, down=True))]
    flow = lambda t, x: [x[1], -10 + d.k * (1 - x[0]) - 0.8 * x[1]]
    guards = [(lambda t, x: 1 - x[0], set_to(stance=False, k=50))]
    if d.down: guards.append((lambda t, x: -x[1], set_to(k=58, down=False)))
    return flow, guards


hybrid("Hopper", 5.0, 0.05, hopper, [1.5, 0], {"y": lambda t, x, d: x[0], "v": lambda t, x, d: x[1]}, dict(stance=False, k=50, down=True), {"v": SPEED})


def rocking(d):
    side = 1 if d.right else -1
    guard = (lambda t, x: side * x[0], lambda t, x, d: d.update(right=not d.right) or [x[0], 0.9 * x[1]])
    return lambda t, x: [x[1], 4 * x[0] - side], [guard]


hybrid("RockingBlock", 4.0, 0.05, rocking, [0.15, 0], {"phi": lambda t, x, d: x[0], "w": lambda t, x, d: x[1]}, dict(right=True), {"w": SPEED})


def door(d):
    if d.latched: return lambda t, x: [0, 0], [(lambda t, x: 4 - t, set_to(latched=False, open=True))]
    flow = lambda t, x: [x[1], -(x[0] + 0.2) - 0.6 * x[1] + (2 if d.open else 0)]
    return flow, [] if d.open else [(lambda t, x: x[0], lambda t, x, d: d.update(latched=True) or [x[0], 0.0])]


hybrid("LatchedDoor", 8.0, 0.05, door, [1, 0], {"phi": lambda t, x, d: x[0], "w": lambda t, x, d: x[1]}, dict(latched=False, open=False), {"w": SPEED})


def gears(d):
    flow = lambda t, x: [(1 if d.gear == 1 else 0.6) - 0.3 * x[0] - (0.5 if d.steep else 0), x[0]]
    if d.gear == 1: guards = [(lambda t, x: 0.8 - x[0], set_to(gear=2))]
    else: guards = [(lambda t, x: x[0] - 0.4, set_to(gear=1))]
    if d.hill < 2: guards.append((lambda t, x: 4 * (d.hill + 1) - t, lambda t, x, d: d.update(hill=d.hill + 1, steep=d.hill == 0)))
    return flow, guards


hybrid("GearShift", 14.0, 0.1, gears, [0, 0], {"v": lambda t, x, d: x[0], "s": lambda t, x, d: x[1], "gear": lambda t, x, d: d.gear},
       dict(gear=1, steep=False, hill=0), {"v": SPEED, "gear": NUMBER})


def wagons(d):
    """x = x1 x2 x3 v1 v2 v3, masses 1 2 1; plastic, the last one has drag."""
    drag = lambda x: -0.5 * x[5]
    def accelerations(x):
        if d.a and d.b: return [drag(x) / 4] * 3
        if d.a: return [0, 0, drag(x)]
        if d.b: return [0, drag(x) / 3, drag(x) / 3]
        return [0, 0, drag(x)]
    flow = lambda t, x: list(x[3:]) + accelerations(x)
    def hit_a(t, x, d):
        d.a = True
        n = 4 if d.b else 3
        v = (x[3] + 2 * x[4] + (x[5] if d.b else 0)) / n
        return [x[1], x[1], x[2], v, v, v if d.b else x[5]]
    def hit_b(t, x, d):
        d.b = True
        v = ((x[3] if d.a else 0) + 2 * x[4] + x[5]) / (4 if d.a else 3)
        return [x[0] if not d.a else x[2], x[2], x[2], v if d.a else x[3], v, v]
    guards = []
    if not d.a: guards.append((lambda t, x: x[1] - x[0], hit_a))
    if not d.b: guards.append((lambda t, x: x[2] - x[1], hit_b))
    return flow, guards


hybrid("WagonsSlack", 4.0, 0.05, wagons, [0, 1, 1.5, 2, 0.5, 0],
       {n: lambda t, x, d, k=k: x[k] for k, n in enumerate(["x[1]", "x[2]", "x[3]", "v[1]", "v[2]", "v[3]"])},
       dict(a=False, b=False), {f"v[{k}]": SPEED for k in (1, 2, 3)}, events=2)


def brake(d):
    """x = w, phi: slides, is held until 3, then is driven backwards."""
    limit = 1.0 if not d.released else 0.2
    release = [(lambda t, x: 3 - t, set_to(released=True))] if not d.released else []
    if d.mode == 0:
        return lambda t, x: [0, 0], release + [(lambda t, x: limit - 0.5, set_to(mode=-1))]
    return lambda t, x: [-0.5 - d.mode * limit, x[0]], release + [(lambda t, x: d.mode * x[0], lambda t, x, d: d.update(mode=0) or [0.0, x[1]])]


hybrid("BrakeHolds", 5.0, 0.05, brake, [2, 0], {"w": lambda t, x, d: x[0], "phi": lambda t, x, d: x[1]}, dict(mode=1, released=False), {"w": SPEED}, events=2)


def vibro(d):
    flow = lambda t, x: [x[1], -x[0] - 0.2 * x[1] + cos(1.5 * t)]
    return flow, [(lambda t, x: 0.4 - x[0] if x[1] > 0 else 1, lambda t, x, d: [x[0], -0.7 * x[1]])]


hybrid("VibroImpact", 12.0, 0.1, vibro, [0, 0], X_V, units={"v": SPEED})


def conveyor(d):
    """0: slower than the belt, 1: with it, 2: the belt brakes at 3, faster than it."""
    belt = lambda t: 1.0 if not d.braking else 1 - 2 * (t - 3)
    brakes = [] if d.braking else [(lambda t, x: 3 - t, lambda t, x, d: d.update(braking=True, mode=2 if d.mode == 1 else d.mode))]
    if d.mode == 0: return lambda t, x: [x[1], 0.5], brakes + [(lambda t, x: 1 - x[1], lambda t, x, d: d.update(mode=1) or [x[0], 1.0])]
    if d.mode == 1: return lambda t, x: [1.0, 0], brakes
    return lambda t, x: [x[1], -0.5], []


hybrid("ConveyorDrop", 6.0, 0.05, conveyor, [0, 0], X_V, dict(mode=0, braking=False), {"v": SPEED}, events=2)


def incline(d):
    angle = lambda t: 0.2 * t
    if not d.sliding:
        return lambda t, x: [0, 0], [(lambda t, x: 0.5 * cos(angle(t)) - sin(angle(t)), set_to(sliding=True))]
    return lambda t, x: [x[1], 9.81 * (sin(angle(t)) - 0.4 * cos(angle(t)))], []


hybrid("InclineTilts", 5.0, 0.05, incline, [0, 0], X_V, dict(sliding=False), {"x": NUMBER, "v": [0, -1]}, nudged=[0], scales="tau", events=1)


def catapult(d):
    """x = y1 v1 y2 v2, masses 2 and 1."""
    spring = lambda x: -50 * x[0] - 20 - 3 * x[1]
    force = lambda t, x: (spring(x) - 10) / 3 + 10
    if d.touch:
        flow = lambda t, x: [x[1], (spring(x) - 10) / 3, x[3], (spring(x) - 10) / 3]
        return flow, [(force, set_to(touch=False))]
    def land(t, x, d):
        d.touch, v = True, (2 * x[1] + x[3]) / 3
        return [x[0], v, x[0], v]
    return lambda t, x: [x[1], spring(x) / 2, x[3], -10], [(lambda t, x: x[2] - x[0], land)]


hybrid("Catapult", 4.0, 0.02, catapult, [-1, 0, -1, 0], {n: lambda t, x, d, k=k: x[k] for k, n in enumerate(["y1", "v1", "y2", "v2"])},
       dict(touch=True), {"v1": SPEED, "v2": SPEED}, nudged=[])


def parcel(d):
    table, speed = (lambda t: 1.3 * (1 - cos(t))), (lambda t: 1.3 * sin(t))
    if d.touch:
        def lift(t, x, d):
            d.touch = False
            return [table(t), speed(t)]
        return lambda t, x: [speed(t), 1.3 * cos(t)], [(lambda t, x: 1.3 * cos(t) + 1, lift)]
    def land(t, x, d):
        d.touch = True
        return [table(t), speed(t)]
    return lambda t, x: [x[1], -1], [(lambda t, x: x[0] - table(t), land)]


hybrid("ParcelLift", 15.0, 0.1, parcel, [0, 0], {"y": lambda t, x, d: x[0], "v": lambda t, x, d: x[1]}, dict(touch=True), {"v": SPEED}, nudged=[])


def yoyo(d):
    if d.down: return lambda t, x: [x[1], 0.8], [(lambda t, x: 1 - x[0], lambda t, x, d: d.update(down=False) or [x[0], 0.85 * x[1]])]
    return lambda t, x: [-x[1], -0.8], [(lambda t, x: x[1], set_to(down=True))]


hybrid("YoYo", 9.0, 0.1, yoyo, [0, 0.5], {"y": lambda t, x, d: x[0], "w": lambda t, x, d: x[1]}, dict(down=True), {"w": SPEED})


def ratchet(d):
    drive = lambda t: 2 * sin(t) - 0.5
    if d.held:
        return lambda t, x: [0, 0], [(lambda t, x: -drive(t), set_to(held=False))]
    flow = lambda t, x: [x[1], drive(t) - 0.5 * x[1]]
    tooth = (lambda t, x: (d.teeth + 1) * 0.3 - x[0], lambda t, x, d: d.update(teeth=d.teeth + 1))
    return flow, [tooth, (lambda t, x: x[0] - d.teeth * 0.3 if x[1] < 0 else 1, lambda t, x, d: d.update(held=True) or [d.teeth * 0.3, 0.0])]


hybrid("Ratchet", 14.0, 0.1, ratchet, [0, 0], {"phi": lambda t, x, d: x[0], "w": lambda t, x, d: x[1], "teeth": lambda t, x, d: d.teeth},
       dict(teeth=0, held=True), {"w": SPEED, "teeth": NUMBER}, nudged=[])


def escapement(d):
    flow = lambda t, x: [x[1], -x[0] - 0.1 * x[1]]
    kick = lambda t, x, d: d.update(n=d.n + 1, side=-d.side) or [x[0], x[1] - 0.2 * -d.side]
    return flow, [(lambda t, x: d.side * x[0], kick)]


hybrid("Escapement", 20.0, 0.1, escapement, [0.5, 0], {"x": lambda t, x, d: x[0], "v": lambda t, x, d: x[1], "n": lambda t, x, d: d.n},
       dict(n=0, side=1), {"v": SPEED, "n": NUMBER}, events=6)


def stribeck(d):
    pull = lambda t, x: 2 * (0.4 * t - x[0])
    if not d.slip: return lambda t, x: [0, 0], [(lambda t, x: 1.5 - pull(t, x), set_to(slip=True))]
    return lambda t, x: [x[1], pull(t, x) - 0.7 - 0.8 * exp(-2 * x[1])], [(lambda t, x: x[1], lambda t, x, d: d.update(slip=False) or [x[0], 0.0])]


hybrid("Stribeck", 20.0, 0.1, stribeck, [0, 0], X_V, dict(slip=False), {"v": SPEED}, nudged=[0])

closed("CradleThree", 2.0, 0.05, {"x1": lambda t: min(t - 1, 0), "x2": lambda t: 0.0, "x3": lambda t: max(t - 1, 0), "v1": lambda t: float(t < 1),
                                 "v2": lambda t: 0.0, "v3": lambda t: float(t >= 1)}, [1.0], {v: SPEED for v in ("v1", "v2", "v3")}, events=1)


def bucket(d):
    """x = h v y w, masses 1 and 3."""
    if d.caught:
        a = lambda x: (-60 * x[2] - 10) / 4
        return lambda t, x: [x[1], a(x), x[3], a(x)], []
    def catch(t, x, d):
        d.caught, v = True, (x[1] + 3 * x[3]) / 4
        return [x[0], v, x[2], v]
    return lambda t, x: [x[1], -10, x[3], -20 * x[2]], [(lambda t, x: x[0] - x[2], catch)]


hybrid("BucketCatch", 2.0, 0.02, bucket, [2, 0, 0.3, 0], {n: lambda t, x, d, k=k: x[k] for k, n in enumerate(["h", "v", "y", "w"])},
       dict(caught=False), {"v": SPEED, "w": SPEED}, events=1)


def deadband(d):
    flow = lambda t, x: [x[1], -2 * x[0] - (0.8 * x[1] if d.outside else 0)]
    if d.outside: return flow, [(lambda t, x: abs(x[0]) - 0.7, set_to(outside=False))]
    return flow, [(lambda t, x: 0.7 - abs(x[0]), set_to(outside=True))]


hybrid("DeadbandDamper", 15.0, 0.1, deadband, [2, 0], X_V, dict(outside=True), {"v": SPEED})

if __name__ == "__main__":
    main("mechanics")
