"""Runs of hybrid systems written by hand: flows by an explicit method of order 8 near rounding, events by bisection.

A system is a function of its discrete values `d`: it returns the flow f(t, x) and the guards (g, act). It goes on
while every g is positive; where one has become negative, `act(t, x, d)` changes `d` and may return new states.
"""
import copy

import numpy as np
from scipy.integrate import DOP853


class Discrete(dict):
    """Discrete values, by attribute."""
    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


class Run:
    """The run of a system; `value(name, t)` gives the right limit of an output."""

    def __init__(self, system, x0, d0, stop, outputs, max_step=None, most_events=3000):
        self.stop, self.outputs, self.max_step = stop, outputs, max_step or stop / 50
        self.segments, self.events, self.known = [], [], {}
        d, t, x = Discrete(copy.deepcopy(d0)), 0.0, np.array(x0, float)
        repeated = 0
        while t < stop:
            flow, guards = system(d)
            kept = Discrete(copy.deepcopy(dict(d)))
            ended, fired, pieces = self.flow(flow, guards, t, x)
            repeated = repeated + 1 if ended - t <= 1e-14 * stop else 0
            if repeated > 50: raise RuntimeError(f"events do not end at {t}: {d}")
            self.segments.append((t, ended, pieces, x, kept))
            x, t = pieces[-1][2](ended) if pieces else x, ended
            x = np.array(x, float)
            if fired is not None:
                if not self.events or self.events[-1] != t: self.events.append(t)
                if len(self.events) > most_events: raise RuntimeError(f"too many events at {t}")
                changed = guards[fired][1](t, x, d)
                if changed is not None: x = np.array(changed, float)

    def flow(self, flow, guards, t, x):
        """Goes on until a guard has become negative: where, which, and the pieces of the solution."""
        pieces = []
        signs = [max(g(t, x), 0.0) for g, _ in guards]  # what begins below zero fires at once, unless it rises
        if len(x) == 0 or not guards and not len(x):
            return self.stop, None, [(t, self.stop, lambda s: x)]
        solver = DOP853(lambda s, y: np.asarray(flow(s, y), float), t, x, self.stop, max_step=self.max_step, rtol=5e-14, atol=1e-15)
        while solver.status == "running":
            solver.step()
            if solver.status == "failed": raise RuntimeError(f"no step at {solver.t}")
            dense = solver.dense_output()
            pieces.append((solver.t_old, solver.t, dense))
            found = self.first_crossing(guards, signs, solver.t_old, solver.t, dense)
            if found: return found[0], found[1], pieces
            signs = [g(solver.t, dense(solver.t)) for g, _ in guards]
        return self.stop, None, pieces

    @staticmethod
    def first_crossing(guards, signs, begin, end, dense, parts=6):
        """The first guard that becomes negative in a step, and where."""
        best = None
        for k, (g, _) in enumerate(guards):
            before = signs[k]
            for part in range(parts):
                low, high = begin + (end - begin) * part / parts, begin + (end - begin) * (part + 1) / parts
                after = g(high, dense(high))
                if before >= 0 > after:
                    while low < (middle := (low + high) / 2) < high:
                        if g(middle, dense(middle)) < 0: high = middle
                        else: low = middle
                    if best is None or high < best[0]: best = (high, k)
                    break
                before = after
        return best

    def state(self, t):
        """Continuous and discrete values at a time."""
        if t not in self.known:
            begin, _, pieces, x, d = next(s for s in reversed(self.segments) if s[0] <= t)
            piece = next((p for p in pieces if p[0] <= t <= p[1]), None)
            self.known[t] = (piece[2](t) if piece and t > begin else x, d)
        return self.known[t]

    def value(self, name, t):
        x, d = self.state(t)
        return float(self.outputs[name](t, x, d))
