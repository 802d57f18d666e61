"""Control: relays, hysteresis, sampled controllers, counters, state machines, saturation, sliding modes. Units: u of signals, tau of time."""
import math
from math import asin, cos, exp, pi, sin, sqrt

from cases import closed, hybrid, main

NUMBER, RATE, TIME = [0, 0], [1, -1], [0, 1]


def set_to(**values):
    return lambda t, x, d: d.update(values)


def sampled(period, flow, act, first=0.0):
    """A system whose only events are samples; the one at 0 is run by the caller's start values."""
    def system(d):
        def sample(t, x, d):
            d.k += 1
            return act(t, x, d)
        return (lambda t, x: flow(t, x, d)), [(lambda t, x: first + (d.k + 1) * period - t, sample)]
    return system


# ---- relays ----

def thermostat(d):
    flow = lambda t, x: [(2 if d.on else 0) - x[0]]
    return flow, [(lambda t, x: 1.1 - x[0], set_to(on=False))] if d.on else [(lambda t, x: x[0] - 0.9, set_to(on=True))]


hybrid("Thermostat", 8.0, 0.1, thermostat, [0], {"x": lambda t, x, d: x[0], "on": lambda t, x, d: d.on}, dict(on=True), {"on": NUMBER})


def sensor(d):
    flow = lambda t, x: [(2 if d.on else 0) - x[0], 5 * (x[0] - x[1])]
    return flow, [(lambda t, x: 1.1 - x[1], set_to(on=False))] if d.on else [(lambda t, x: x[1] - 0.9, set_to(on=True))]


hybrid("ThermostatSensor", 8.0, 0.1, sensor, [0, 0], {"x": lambda t, x, d: x[0], "y": lambda t, x, d: x[1]}, dict(on=True))


def rooms(d):
    flow = lambda t, x: [(3 if d.p else 0) - x[0] + 0.5 * (x[1] - x[0]), (2.5 if d.q else 0) - x[1] + 0.5 * (x[0] - x[1])]
    return flow, [(lambda t, x: 1.2 - x[0], set_to(p=False)) if d.p else (lambda t, x: x[0] - 1, set_to(p=True)),
                  (lambda t, x: 0.9 - x[1], set_to(q=False)) if d.q else (lambda t, x: x[1] - 0.7, set_to(q=True))]


hybrid("ThermostatsTwo", 6.0, 0.1, rooms, [0, 0.2], {"a": lambda t, x, d: x[0], "b": lambda t, x, d: x[1]}, dict(p=True, q=True))


def satellite(d):
    s = lambda t, x: x[0] + 0.8 * x[1]
    flow = lambda t, x: [x[1], d.jet]
    if d.jet > 0: return flow, [(lambda t, x: -0.1 - s(t, x), set_to(jet=0))]
    if d.jet < 0: return flow, [(lambda t, x: s(t, x) - 0.1, set_to(jet=0))]
    return flow, [(lambda t, x: 0.2 - s(t, x), set_to(jet=-1)), (lambda t, x: 0.2 + s(t, x), set_to(jet=1))]


hybrid("RelayDeadzone", 10.0, 0.1, satellite, [1, 0], {"x": lambda t, x, d: x[0], "v": lambda t, x, d: x[1]}, dict(jet=-1), {"v": RATE})
closed("BangBang", 4.0, 0.1, {"x": lambda t: t * t / 2 if t < sqrt(2) else 2 - (2 * sqrt(2) - min(t, 2 * sqrt(2))) ** 2 / 2,
                             "v": lambda t: t if t < sqrt(2) else max(2 * sqrt(2) - t, 0)}, [sqrt(2), 2 * sqrt(2)], {"v": RATE}, amplification=3.0, events=2)


# ---- pulses and samples ----

def pwm(d):
    """Pulse k ends where t - k/2 = (0.3 + 0.05 t)/2."""
    flow = lambda t, x: [(1 if d.on else 0) - x[0]]
    if d.on: return flow, [(lambda t, x: (d.k / 2 + 0.15) / 0.975 - t, set_to(on=False))]
    return flow, [(lambda t, x: (d.k + 1) / 2 - t, lambda t, x, d: d.update(on=True, k=d.k + 1))]


hybrid("PwmHeater", 5.0, 0.05, pwm, [0], {"x": lambda t, x, d: x[0]}, dict(on=True, k=0))


def pulses(d):
    flow = lambda t, x: [(2 if d.on else 0) - x[0]]
    def sample(t, x, d):
        d.k += 1
        d.width, d.begin = max(0, min(0.38, 0.1 + 0.5 * (1 - x[0]))), t
        d.on = d.width > 0
    guards = [(lambda t, x: (d.k + 1) * 0.4 - t, sample)]
    if d.on: guards.append((lambda t, x: d.begin + d.width - t, set_to(on=False)))
    return flow, guards


hybrid("PwmSampled", 6.0, 0.05, pulses, [0], {"x": lambda t, x, d: x[0], "width": lambda t, x, d: d.width},
       dict(k=0, width=0.38, begin=0.0, on=True), {"width": TIME})


def pi_step(t, x, d):
    d.integral += 0.2 * (1 - x[0])
    d.y = 1.5 * (1 - x[0]) + 2 * d.integral


hybrid("SampledPI", 5.0, 0.05, sampled(0.2, lambda t, x, d: [d.y - x[0]], pi_step), [0],
       {"x": lambda t, x, d: x[0], "y": lambda t, x, d: d.y, "integral": lambda t, x, d: d.integral}, dict(k=0, y=1.9, integral=0.2), nudged=[])


def delayed_step(t, x, d):
    d.y, d.next = d.next, 0.8 * (1 - x[0]) + 0.5


hybrid("SampledDelayed", 6.0, 0.05, sampled(0.3, lambda t, x, d: [d.y - 0.5 * x[0]], delayed_step), [0],
       {"x": lambda t, x, d: x[0], "y": lambda t, x, d: d.y}, dict(k=0, y=0.0, next=1.3), nudged=[])


def two_rates(t, x, d):
    if d.k % 5 == 0: d.goal = 0.8 * (1 - x[0])
    d.force = 3 * (d.goal - x[1])


hybrid("SampledTwoRates", 5.0, 0.05, sampled(0.1, lambda t, x, d: [x[1], d.force - 0.2 * x[1]], two_rates), [0, 0],
       {"x": lambda t, x, d: x[0], "v": lambda t, x, d: x[1], "goal": lambda t, x, d: d.goal, "force": lambda t, x, d: d.force},
       dict(k=0, goal=0.8, force=2.4), {"v": RATE, "goal": RATE, "force": [1, -2]}, nudged=[])


def deadbeat(t):
    if t < 1: return t * t / 2, t, 1.0
    if t < 2: return 0.5 + (t - 1) - (t - 1) ** 2 / 2, 2 - t, -1.0
    return 1.0, 0.0, 0.0


closed("Deadbeat", 4.0, 0.1, {"x": lambda t: deadbeat(t)[0], "v": lambda t: deadbeat(t)[1]}, [1.0, 2.0, 3.0, 4.0], {"v": RATE}, amplification=2.0)


def delta_sigma(t, x, d):
    d.bit = 1 if x[0] > 0 else -1
    d.ones += x[0] > 0


hybrid("DeltaSigma", 4.0, 0.05, sampled(0.1, lambda t, x, d: [0.37 * cos(0.3 * t) - d.bit], delta_sigma), [0],
       {"x": lambda t, x, d: x[0], "bit": lambda t, x, d: d.bit, "ones": lambda t, x, d: d.ones}, dict(k=0, bit=1, ones=0),
       {"bit": NUMBER, "ones": NUMBER}, nudged=[])
closed("HoldZeroOrder", 5.0, 0.05, {"h": lambda t: sin(0.25 * held(t)), "y": lambda t: sum(0.25 * sin(0.25 * k) for k in range(held(t))) + (t - 0.25 * held(t)) * sin(0.25 * held(t))},
       [0.25 * k for k in range(1, 21)])


def held(t): return int(t / 0.25 + 1e-9)


# ---- counters and state machines ----

RISES = [(asin(0.5) + 2 * pi * k) / 3 for k in range(20)]
count = lambda times, t: sum(time <= t for time in times)
closed("CounterModulo", 15.0, 0.1, {"n": lambda t: count(RISES, t) % 3, "carry": lambda t: count(RISES, t) // 3},
       [r for r in RISES if r < 15] + [(pi - asin(0.5) + 2 * pi * k) / 3 for k in range(8)], {"n": NUMBER, "carry": NUMBER}, scales="tau")


def divided(d):
    def toggle(t, x, d):
        d.k += 1
        d.a = not d.a
        if d.a: d.b = not d.b
    return lambda t, x: [(1 if d.b else -1) - x[0]], [(lambda t, x: 0.5 * (d.k + 1) - t, toggle)]


hybrid("FlipFlop", 8.0, 0.1, divided, [0], {"x": lambda t, x, d: x[0], "a": lambda t, x, d: d.a, "b": lambda t, x, d: d.b}, dict(k=0, a=False, b=False),
       {"a": NUMBER, "b": NUMBER})


def light(t):
    """State and cars of a cycle of 2, 0.5, 1.5."""
    cycles, rest = divmod(t, 4.0)
    return (1 if rest < 2 else 2 if rest < 2.5 else 3), 1.5 * cycles + max(rest - 2.5, 0)


closed("TrafficLight", 15.0, 0.1, {"state": lambda t: light(t)[0], "cars": lambda t: light(t)[1]}, [4 * k + s for k in range(4) for s in (2, 2.5, 4)],
       {"state": NUMBER, "cars": NUMBER}, scales="tau", amplification=4.0)
closed("Elevator", 10.0, 0.1, {"x": lambda t: max(0, min(t - 1, 3)) - max(0, min(t - 6, 2)), "goal": lambda t: 0 if t < 1 else 3 if t < 6 else 1,
                              "motion": lambda t: 1 if 1 <= t < 4 else -1 if 6 <= t < 8 else 0}, [1.0, 4.0, 6.0, 8.0], {"goal": NUMBER, "motion": NUMBER})


def roots(f, stop, steps=40000):
    """All sign changes of a function."""
    found = []
    for k in range(steps):
        low, high = stop * k / steps, stop * (k + 1) / steps
        if (f(low) > 0) == (f(high) > 0): continue
        rises = f(high) > 0
        while low < (middle := (low + high) / 2) < high:
            if (f(middle) > 0) == rises: high = middle
            else: low = middle
        found.append((high, rises))
    return found


BOUNCES = roots(lambda t: sin(t) + 0.5 * sin(9 * t) - 0.3, 20.0)
STEADY = [t + 0.5 for (t, rises), (end, _) in zip(BOUNCES, BOUNCES[1:]) if rises and end > t + 0.5]
closed("Debounce", 20.0, 0.1, {"n": lambda t: count(STEADY, t), "since": lambda t: max([0.0] + [b for b, _ in BOUNCES if b <= t])},
       [b for b, _ in BOUNCES] + STEADY, {"n": NUMBER, "since": TIME}, scales="tau")
FED = next(t for t, rises in roots(lambda t: sin(6 * sqrt(1 + t)) - 0.9, 10.0) if rises)
closed("Watchdog", 4.0, 0.1, {"alive": lambda t: min(t, FED + 2), "bitten": lambda t: t > FED + 2}, [FED, FED + 2] + [t for t, _ in roots(lambda t: sin(6 * sqrt(1 + t)) - 0.9, 4.0)],
       {"alive": NUMBER, "bitten": NUMBER}, scales="tau")


# ---- saturation ----

def regions(flow, surfaces):
    """A flow that depends on the signs of some surfaces: d.s[k] is the present sign of surface k."""
    def system(d):
        def flip(k):
            def act(t, x, d): d.s[k] = -d.s[k]
            return act
        return (lambda t, x: flow(t, x, d.s)), [(lambda t, x, k=k: d.s[k] * surfaces[k](t, x), flip(k)) for k in range(len(surfaces))]
    return system


def saturated(t, x, s):
    w = 2 * (1 - x[0]) + 3 * x[1]
    y = 1.5 if s[0] > 0 else -0.5 if s[1] < 0 else w
    return [y - 0.3 * x[0], 1 - x[0]]


hybrid("SaturatedPI", 8.0, 0.1, regions(saturated, [lambda t, x: 2 * (1 - x[0]) + 3 * x[1] - 1.5, lambda t, x: 2 * (1 - x[0]) + 3 * x[1] + 0.5]),
       [0, 0], {"x": lambda t, x, d: x[0], "z": lambda t, x, d: x[1]}, dict(s=[1, 1]))


def back_calculation(d):
    goal = 2 if not d.late else -1
    w = lambda x: 2 * (goal - x[0]) + 3 * x[1]
    def flow(t, x):
        y = 1.2 * d.side if d.side else w(x)
        return [y - 0.3 * x[0], goal - x[0] + y - w(x)]
    def step(t, x, d):
        d.late = True
        now = 2 * (-1 - x[0]) + 3 * x[1]
        d.side = 1 if now > 1.2 else -1 if now < -1.2 else 0
    guards = [] if d.late else [(lambda t, x: 4 - t, step)]
    if d.side: guards.append((lambda t, x: d.side * w(x) - 1.2, set_to(side=0)))
    else: guards += [(lambda t, x: 1.2 - w(x), set_to(side=1)), (lambda t, x: 1.2 + w(x), set_to(side=-1))]
    return flow, guards


hybrid("AntiWindupBack", 9.0, 0.1, back_calculation, [0, 0], {"x": lambda t, x, d: x[0], "z": lambda t, x, d: x[1]}, dict(late=False, side=1))


def clamped(t, x, s):
    w, e = 2 * (1 - x[0]) + 1.5 * x[1], 1 - x[0]
    return [(1 if s[0] > 0 else w) - 0.4 * x[0], 0 if s[0] > 0 and s[1] > 0 else e]


hybrid("AntiWindupClamp", 8.0, 0.1, regions(clamped, [lambda t, x: 2 * (1 - x[0]) + 1.5 * x[1] - 1, lambda t, x: 1 - x[0]]), [0, 0],
       {"x": lambda t, x, d: x[0], "z": lambda t, x, d: x[1]}, dict(s=[1, 1]))


def limited(t, x, s):
    return [0.5 if s[0] > 0 else -0.5 if s[1] < 0 else 10 * (sin(t) - x[0])]


hybrid("RateLimiter", 12.0, 0.1, regions(limited, [lambda t, x: 10 * (sin(t) - x[0]) - 0.5, lambda t, x: 10 * (sin(t) - x[0]) + 0.5]), [0],
       {"y": lambda t, x, d: x[0]}, dict(s=[-1, 1]), nudged=[])


def quantized(d):
    flow = lambda t, x: [cos(t), 0.25 * d.q]
    return flow, [(lambda t, x: 0.25 * (d.q + 1) - x[0], lambda t, x, d: d.update(q=d.q + 1)), (lambda t, x: x[0] - 0.25 * d.q, lambda t, x, d: d.update(q=d.q - 1))]


hybrid("Quantizer", 10.0, 0.1, quantized, [0.05, 0], {"q": lambda t, x, d: 0.25 * d.q, "y": lambda t, x, d: x[1]}, dict(q=0))


def schmitt(d):
    s = lambda t: sin(t) + 0.4 * sin(5 * t)
    flow = lambda t, x: [1 if d.high else 0]
    return flow, [(lambda t, x: s(t) + 0.5, set_to(high=False))] if d.high else [(lambda t, x: 0.5 - s(t), set_to(high=True))]


hybrid("Schmitt", 15.0, 0.1, schmitt, [0], {"y": lambda t, x, d: x[0]}, dict(high=False), max_step=0.02)


def selected(t, x, s):
    y = 2 * (1 - x[0]) if s[0] > 0 else 1.5 * (1.2 - x[1])
    return [y - 0.5 * x[0] * (1 + 0.5 * sin(t)), y + 0.6 - 0.5 * x[1]]


hybrid("Selector", 12.0, 0.1, regions(selected, [lambda t, x: 1.5 * (1.2 - x[1]) - 2 * (1 - x[0])]), [0.5, 0],
       {"level": lambda t, x, d: x[0], "temperature": lambda t, x, d: x[1]}, dict(s=[1]))


def scheduled(t, x, s):
    k = 0.5 if s[0] > 0 else 0.8 if s[1] > 0 else 1.5
    return [-k * x[0] - 0.3 * x[0] ** 3 + 0.4 * sin(t)]


hybrid("GainSchedule", 12.0, 0.1, regions(scheduled, [lambda t, x: x[0] - 1, lambda t, x: x[0] - 0.3]), [2], {"x": lambda t, x, d: x[0]}, dict(s=[1, 1]),
       {"x": NUMBER}, scales="tau")


# ---- sliding modes: the convex combination that stays on the surface ----

closed("SlidingRest", 3.0, 0.1, {"x": lambda t: max(1 - t, 0)}, [1.0])
HIT = sqrt(2) - 1
closed("SlidingSurface", 4.0, 0.1, {"x": lambda t: 1 - t * t if t < HIT else 2 * HIT * exp(HIT - t), "v": lambda t: -2 * t if t < HIT else -2 * HIT * exp(HIT - t)},
       [HIT], {"v": RATE}, amplification=2.0)
closed("SlidingLeaves", 4.0, 0.1, {"x": lambda t: 0.5 - t + t * t / 4 if t < 2 - sqrt(2) else (max(t - 2, 0)) ** 2 / 4}, [2 - sqrt(2), 2.0])

closed("SlidingDrift", 3.0, 0.1, {"x": lambda t: max(1 - t, 0), "y": lambda t: t if t < 1 else 1 + (t - 1) / 2}, [1.0], events=1)
TWO = [0.5, 1 / 0.7]
closed("SlidingTwo", 3.0, 0.1,
       {"x": lambda t: max(0.5 - t, 0), "z": lambda t: max(1 - 0.7 * t, 0), "a": lambda t: -1 if t < TWO[0] else 0,
        "b": lambda t: -1 if t < TWO[1] else -0.3,
        "y": lambda t: -min(t, TWO[0]) - 2 * min(t, TWO[1]) - 0.6 * max(t - TWO[1], 0)}, TWO, events=2)
closed("SlidingCoupled", 2.0, 0.05,
       {"x": lambda t: 1 - 1.3 * t if t < 0.5 else max(0.35 - (t - 0.5), 0), "y": lambda t: max(0.3 - 0.6 * t, 0),
        "a": lambda t: 1 if t < 0.85 else 0.2, "b": lambda t: 1 if t < 0.5 else 0.4 if t < 0.85 else 0,
        "z": lambda t: min(t, 0.85) + 0.2 * max(t - 0.85, 0)}, [0.5, 0.85], events=2)
ROUND = math.log(2)
closed("SlidingCircle", 8.0, 0.1,
       {"x": lambda t: 2 * exp(-min(t, ROUND)) * cos(t), "y": lambda t: 2 * exp(-min(t, ROUND)) * sin(t), "w": lambda t: -1 if t < ROUND else 0},
       [ROUND], {"w": NUMBER}, events=1)
closed("SlidingLoop", 2.0, 0.05, {"x": lambda t: max(1 - 1.2 * t, 0), "p": lambda t: -0.8 if t < 1 / 1.2 else 0.4, "w": lambda t: -1 if t < 1 / 1.2 else -0.1},
       [1 / 1.2], events=1)
STOPS = 1 / 0.3
closed("SlidingConstraint", 5.0, 0.1,
       {"x": lambda t: min(t, STOPS) - 0.15 * min(t, STOPS) ** 2, "vy": lambda t: 1 - 0.3 * min(t, STOPS), "f": lambda t: 0.3 if t < STOPS else 0},
       [STOPS], {"vy": RATE, "f": [1, -2]}, events=1)
closed("SlidingPushed", 4.0, 0.1, {"x": lambda t: max(1 - t / 2, 0) if t < 3 else (t - 3) / 2}, [2.0, 3.0], events=2)


def meets():
    """1 - 2t = sin(t)"""
    low, high = 0.0, 0.5
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if 1 - 2 * middle > sin(middle) else (low, middle)
    return low


closed("SlidingFollows", 8.0, 0.1, {"x": lambda t: 1 - 2 * t if t < meets() else sin(t)}, [meets()], events=1)
closed("SlidingSteps", 4.0, 0.1, {"x": lambda t: 0.5 * math.floor(t) + min(t - math.floor(t), 0.5), "r": lambda t: 0.5 * (math.floor(t) + 1)},
       [0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0])
closed("SlidingStarts", 5.0, 0.1,
       {"x": lambda t: 0 if t < 1 else t - 1 if t < 2 else max(1 - 1.5 * (t - 2), 0),
        "y": lambda t: -t / 2 if t < 1 else -0.5 - (t - 1) if t < 2 + 2 / 3 else -0.5 - 5 / 3 + (t - 8 / 3) / 2},
       [1.0, 2.0, 2 + 2 / 3])

if __name__ == "__main__":
    main("control")
