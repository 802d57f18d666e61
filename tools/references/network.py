"""Networks of R, L, C, sources, transformers, ideal diodes, thyristors and switches: their exact runs, and their Modelica text.

Everything is linear inside a mode: E z' = A z, with the sources as states of an oscillator beside it. A run flows
exactly (matrix exponential) in the mode until some diode objects, found by bisection to rounding. The next mode is
the one that an implicit step with nearly ideal diodes ends in, tried out before it is taken.

A mode may leave something open (all four diodes of a bridge block: a potential floats). Then
the mode is right while *some* value of what is open pleases every diode, which is a linear programme.
"""
import math
from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import expm, null_space
from scipy.optimize import linprog

GROUND = "0"


@dataclass
class Schedule:
    """A Boolean of time: its Modelica text, its value, and the times where it may change."""
    text: str
    value: object
    changes: object  # stop -> list of times


def plus(number):
    """A number with its sign, to be added."""
    return f"+ {abs(number)!r}" if number >= 0 else f"- {-number!r}"


def pulse(period, duty, phase=0.0, inverted=False):
    """True in the first part of each period."""
    def value(t):
        on = math.fmod(t + (phase and period - phase % period), period) < duty * period
        return on != inverted
    shift = f"time + {period - phase % period!r}*tau" if phase else "time"
    text = f"mod({shift}, {period!r}*tau) < {duty!r}*{period!r}*tau"
    times = lambda stop: [phase % period + k * period + d for k in range(-1, int(stop / period) + 2) for d in (0, duty * period)]
    return Schedule(f"not ({text})" if inverted else text, value, times)


def window(period, first, last):
    """True in a window of each period."""
    def value(t):
        p = math.fmod(t, period)
        return first < p < last
    text = f"mod(time, {period!r}*tau) > {first!r}*tau and mod(time, {period!r}*tau) < {last!r}*tau"
    return Schedule(text, value, lambda stop: [k * period + d for k in range(int(stop / period) + 1) for d in (first, last)])


def after(start, end=None):
    """True from a time on, perhaps until another."""
    if end is None:
        return Schedule(f"time >= {start!r}*tau", lambda t: t >= start, lambda stop: [start])
    return Schedule(f"time >= {start!r}*tau and time < {end!r}*tau", lambda t: start <= t < end, lambda stop: [start, end])


def compare(text, function, roots, inverted=False):
    """True where a function of time is positive; its roots are computed by the caller."""
    return Schedule(f"not ({text})" if inverted else text, lambda t: (function(t) > 0) != inverted, roots)


@dataclass
class Element:
    kind: str
    name: str
    nodes: tuple
    value: float = 0.0
    start: float = 0.0
    schedule: object = None
    forward: float = 0.0  # forward voltage of a diode


@dataclass
class Net:
    """A network; `form` says how its diodes are written."""
    name: str
    title: str
    stop: float
    interval: float
    form: str = "s"
    unit: float = 1.0
    tau: float = 1.0
    watch: list = field(default_factory=list)
    stiff: bool = False
    elements: list = field(default_factory=list)

    def add(self, kind, name, *nodes, value=0.0, start=0.0, schedule=None, forward=0.0):
        self.elements.append(Element(kind, name, tuple(str(n) for n in nodes), value, start, schedule, forward))
        return self

    def R(self, name, a, b, value): return self.add("R", name, a, b, value=value)
    def L(self, name, a, b, value, start=0.0): return self.add("L", name, a, b, value=value, start=start)
    def C(self, name, a, b, value, start=0.0): return self.add("C", name, a, b, value=value, start=start)
    def D(self, name, a, b, ron=0.0, forward=0.0): return self.add("D", name, a, b, value=ron, forward=forward)
    def Th(self, name, a, b, gate, ron=0.0): return self.add("Th", name, a, b, value=ron, schedule=gate)
    def S(self, name, a, b, schedule, ron=0.0): return self.add("S", name, a, b, value=ron, schedule=schedule)
    def dc(self, name, a, b, value): return self.add("V", name, a, b, value=(value, 0.0, 0.0, 0.0))
    def sine(self, name, a, b, amplitude, omega, phase=0.0): return self.add("V", name, a, b, value=(0.0, amplitude, omega, phase))
    def current(self, name, a, b, value): return self.add("I", name, a, b, value=(value, 0.0, 0.0, 0.0))
    def transformer(self, name, a, b, c, d, ratio): return self.add("T", name, a, b, c, d, value=ratio)

    # ---- Modelica ----

    def text(self):
        """The network as a Modelica model: node potentials, one current per element."""
        nodes = self.nodes()
        v = lambda n: "0" if n == GROUND else f"v{n}"
        across = lambda e: v(e.nodes[0]) if e.nodes[1] == GROUND else f"{v(e.nodes[0])} - {v(e.nodes[1])}"
        lines, equations = [], []
        sums = {n: [] for n in nodes}
        add = lambda n, sign, text: sums[n].append((sign, text)) if n != GROUND else None
        for e in self.elements:
            i, n = f"i{e.name}", e.nodes
            if e.kind == "T":
                lines.append(f"  Real ip{e.name}, is{e.name};")
                equations.append(f"{v(n[2])} - {v(n[3])} = {e.value!r}*({v(n[0])} - {v(n[1])})".replace(" - 0", ""))
                equations.append(f"ip{e.name} {plus(e.value)}*is{e.name} = 0")
                add(n[0], "+", f"ip{e.name}"), add(n[1], "-", f"ip{e.name}")
                add(n[2], "+", f"is{e.name}"), add(n[3], "-", f"is{e.name}")
                continue
            add(n[0], "+", i), add(n[1], "-", i)
            if e.kind == "R":
                lines.append(f"  Real {i};")
                equations.append(f"{across(e)} = {e.value!r}*{i}")
            elif e.kind == "L":
                lines.append(f"  Real {i}(start = {e.start!r}*u, fixed = true);")
                equations.append(f"{e.value!r}*tau*der({i}) = {across(e)}")
            elif e.kind == "C":
                lines.append(f"  Real {i}, u{e.name}(start = {e.start!r}*u, fixed = true);")
                equations += [f"u{e.name} = {across(e)}", f"{e.value!r}*tau*der(u{e.name}) = {i}"]
            elif e.kind in ("V", "I"):
                constant, amplitude, omega, phase = e.value
                signal = f"{constant!r}*u" if not amplitude else f"{amplitude!r}*u*sin({omega!r}/tau*time {plus(phase)})" if phase \
                    else f"{amplitude!r}*u*sin({omega!r}/tau*time)"
                lines.append(f"  Real {i};")
                equations.append(f"{across(e) if e.kind == 'V' else i} = {signal}")
            elif e.kind == "S":
                lines += [f"  Real {i};", f"  Boolean on{e.name};"]
                on = across(e) if not e.value else f"{across(e)} - {e.value!r}*{i}"
                equations += [f"on{e.name} = {e.schedule.text}", f"0 = if on{e.name} then {on} else {i}"]
            else:
                forward = f" - {e.forward!r}*u" if e.forward else ""
                lines += [f"  Real {i}, u{e.name};", f"  Boolean on{e.name}(start = false{', fixed = true' if e.kind == 'Th' else ''});"]
                equations.append(f"u{e.name} = {across(e)}{forward}")
                equations += self.diode(e, i)
        for n in nodes:
            parts = "".join(f" {sign} {text}" for sign, text in sums[n]).strip()
            equations.append("0 = " + parts.removeprefix("+ ").replace("- ", "-", 1) if parts.startswith("- ") else "0 = " + parts.removeprefix("+ "))
        potentials = ", ".join(f"v{n}" for n in nodes)
        head = [f'model {self.name} "{self.title}"', f"  parameter Real u = {self.unit!r}, tau = {self.tau!r};", f"  Real {potentials};"]
        return "\n".join(head + lines + ["equation"] + [f"  {e};" for e in equations] + [f"end {self.name};", ""])

    def diode(self, e, i):
        """The equations of one diode or thyristor, as the form says."""
        on, u, ron = f"on{e.name}", f"u{e.name}", f" - {e.value!r}*{i}" if e.value else ""
        if e.kind == "Th":
            return [f"{on} = if pre({on}) then {i} >= 0 else {e.schedule.text} and {u} > 0", f"0 = if {on} then {u}{ron} else {i}"]
        if self.form == "pre":
            return [f"{on} = if pre({on}) then {i} >= 0 else {u} > 0", f"0 = if {on} then {u}{ron} else {i}"]
        return [f"{on} = (if {on} then {i} else {u}) > 0", f"0 = if {on} then {u}{ron} else {i}"] if self.form == "inline" else \
            [f"{on} = s{e.name} > 0", f"s{e.name} = if {on} then {i} else {u}", f"0 = if {on} then {u}{ron} else {i}"]

    def nodes(self):
        found = dict.fromkeys(n for e in self.elements for n in e.nodes if n != GROUND)
        return list(found)


def declare_s(text, net):
    """The variables `s` of the diodes where the form has them."""
    names = [f"s{e.name}" for e in net.elements if e.kind == "D"] if net.form == "s" else []
    return text.replace("equation\n", f"  Real {', '.join(names)};\nequation\n", 1) if names else text


class Run:
    """An exact run of a network in units of tau and u."""

    TINY = 1e-11  # objections below this share of the largest value are rounding

    def __init__(self, net, nudge=None, samples=400):
        self.net, self.samples = net, samples
        self.index()
        self.always()
        self.cache, self.known = {}, {}
        self.segments, self.events = [], []
        self.scale = 1.0
        self.go(nudge or {})

    def index(self):
        """Columns: potentials, currents, states of capacitors, oscillators of the sources."""
        self.column, net = {}, self.net
        for n in net.nodes(): self.column["v" + n] = len(self.column)
        for e in net.elements:
            names = [f"ip{e.name}", f"is{e.name}"] if e.kind == "T" else [f"i{e.name}"]
            if e.kind == "C": names.append(f"u{e.name}")
            for name in names: self.column[name] = len(self.column)
        self.column["one"] = len(self.column)
        for omega in sorted({e.value[2] for e in net.elements if e.kind in "VI" and e.value[1]}):
            for part in ("sin", "cos"): self.column[f"{part}{omega!r}"] = len(self.column)
        self.size = len(self.column)
        self.diodes = [e for e in net.elements if e.kind in ("D", "Th")]
        self.switches = [e for e in net.elements if e.kind == "S"]

    def row(self, **entries):
        it = np.zeros(self.size)
        for name, value in entries.items(): it[self.column[name]] += value
        return it

    def across(self, e, a=0, b=1):
        it = np.zeros(self.size)
        if e.nodes[a] != GROUND: it[self.column["v" + e.nodes[a]]] += 1
        if e.nodes[b] != GROUND: it[self.column["v" + e.nodes[b]]] -= 1
        return it

    def blocking(self, e):
        """Voltage over a diode minus its forward voltage: negative while it blocks."""
        return self.across(e) - e.forward * self.row(one=1)

    def always(self):
        """Rows E, A of E z' = A z that hold in every mode."""
        E, A, zero = [], [], np.zeros(self.size)
        balance = {n: np.zeros(self.size) for n in self.net.nodes()}
        def flows(e, a, b, name):
            for node, sign in ((e.nodes[a], 1), (e.nodes[b], -1)):
                if node != GROUND: balance[node][self.column[name]] += sign
        for e in self.net.elements:
            if e.kind == "T":
                flows(e, 0, 1, f"ip{e.name}"), flows(e, 2, 3, f"is{e.name}")
                E += [zero, zero]
                A += [self.across(e, 2, 3) - e.value * self.across(e), self.row(**{f"ip{e.name}": 1, f"is{e.name}": e.value})]
                continue
            i = self.row(**{f"i{e.name}": 1})
            flows(e, 0, 1, f"i{e.name}")
            if e.kind == "R": E.append(zero), A.append(self.across(e) - e.value * i)
            if e.kind == "L": E.append(e.value * i), A.append(self.across(e))
            if e.kind == "C":
                u = self.row(**{f"u{e.name}": 1})
                E += [zero, e.value * u]
                A += [self.across(e) - u, i]
            if e.kind in "VI":
                constant, amplitude, omega, phase = e.value
                it = self.row(one=constant)
                if amplitude: it += amplitude * self.row(**{f"sin{omega!r}": math.cos(phase), f"cos{omega!r}": math.sin(phase)})
                E.append(zero), A.append((self.across(e) if e.kind == "V" else i) - it)
        for it in balance.values(): E.append(zero), A.append(it)
        E.append(self.row(one=1)), A.append(zero)
        for name in self.column:
            if name.startswith("sin"):
                omega, cos = float(name[3:]), "cos" + name[3:]
                E += [self.row(**{name: 1}), self.row(**{cos: 1})]
                A += [omega * self.row(**{cos: 1}), -omega * self.row(**{name: 1})]
        self.E0, self.A0 = np.array(E), np.array(A)

    def rows_of_mode(self, mode, leak=0.0):
        """What the elements impose in a mode; with a leak, nearly ideal diodes."""
        diodes, switches = mode
        rows = []
        for e, on in zip(self.diodes, diodes):
            i = self.row(**{f"i{e.name}": 1})
            rows.append(self.blocking(e) - (e.value + leak) * i if on else i - leak * self.blocking(e))
        for e, on in zip(self.switches, switches):
            i = self.row(**{f"i{e.name}": 1})
            rows.append(self.across(e) - (e.value + leak * 1e-2) * i if on else i - leak * 1e-2 * self.across(e))
        return np.array(rows).reshape(-1, self.size)

    def flow(self, mode):
        """Generator and projector of a mode, and its open directions; nothing where the mode is not right."""
        if mode not in self.cache:
            self.cache[mode] = self.pencil(mode)
        return self.cache[mode]

    def pencil(self, mode):
        rows = self.rows_of_mode(mode)
        E, A = np.vstack([self.E0, np.zeros_like(rows)]), np.vstack([self.A0, rows])
        free = null_space(np.vstack([E, A]), rcond=1e-11)
        redundant = null_space(np.hstack([E, A]).T, rcond=1e-11)
        if free.shape[1] != redundant.shape[1]: return None
        if free.shape[1]:
            Q, P = null_space(free.T), null_space(redundant.T)
            E, A = P.T @ E @ Q, P.T @ A @ Q
        else:
            Q = np.eye(self.size)
        shift = 0.7236  # regular at one value means regular
        M = E - shift * A * 0.01
        if np.linalg.cond(M) > 1e13: return None
        solve = np.linalg.solve(M, np.hstack([E, A]))
        Eh, Ah = solve[:, :len(E)], solve[:, len(E):]
        # With Eh + shift*Ah = 1 the two commute: the part of Eh that is not nilpotent carries the motion.
        power = np.linalg.matrix_power(Eh, 4)
        left, sizes, right = np.linalg.svd(power)
        rank = int((sizes > 1e-9 * max(1.0, sizes[0]) * 1e-3).sum()) if len(sizes) else 0
        image = left[:, :rank]
        core = image.T @ Eh @ image
        kernel = right[rank:].T
        basis = np.hstack([image, kernel])
        onto = np.linalg.inv(basis)[:rank]
        generator = np.linalg.solve(core, image.T @ Ah @ image)
        return dict(generator=generator, into=Q @ image, onto=onto @ Q.T, free=free)

    def objections(self, mode, z):
        """How much the diodes object, relative: the best that can be made of what is open; negative means the mode is over."""
        it = self.flow(mode)
        rows, free = [], it["free"]
        for e, on in zip(self.diodes, mode[0]):
            if on: rows.append(self.row(**{f"i{e.name}": 1}))
            elif e.kind == "D" or self.gated[e.name]: rows.append(-self.blocking(e))
        if not rows: return 1.0
        rows = np.array(rows)
        s, S = rows @ z, rows @ free
        S[abs(S) < 1e-9] = 0
        active = abs(S).max(axis=1) > 0 if S.size else np.zeros(len(s), bool)
        worst = min(s[~active], default=np.inf)
        if active.any():
            s1, S1 = s[active], S[active]
            count = S1.shape[1]
            cost = np.zeros(count + 1)
            cost[-1] = -1
            bound = 10 * max(abs(s1).max(), 1e-9)
            solved = linprog(cost, A_ub=np.hstack([-S1, np.ones((len(s1), 1))]), b_ub=s1, bounds=[(None, None)] * count + [(None, bound)])
            worst = min(worst, solved.x[-1]) if solved.status == 0 else -np.inf
        return worst / self.scale

    def settle(self, switches, z, t):
        """The mode right after t and the right limit of z."""
        before = self.mode[0] if self.segments else (False,) * len(self.diodes)
        allowed = [e.kind == "D" or self.gated[e.name] or on for e, on in zip(self.diodes, before)]
        tried, notes = set(), []
        candidates = [tuple(on and a for on, a in zip(before, allowed))]
        for length in (1e-6, 1e-5, 1e-7, 1e-4, 1e-3, 1e-2, 1e-8):
            for leak in (1e-8, 1e-6):
                candidates.append((length, leak))
        if self.objected: candidates.append(candidates.pop(0))
        for candidate in candidates:
            diodes = candidate if not candidate or isinstance(candidate[0], bool) else self.implicit_step(switches, z, allowed, *candidate)
            if diodes is None or diodes in tried: continue
            tried.add(diodes)
            mode = (diodes, switches)
            flow = self.flow(mode)
            if flow is None: notes.append((diodes, "not a mode")); continue
            right = flow["onto"] @ z
            if not self.continues(mode, z, flow["into"] @ right):
                notes.append((diodes, "jumps")); continue
            margins = [self.objections(mode, flow["into"] @ (expm(flow["generator"] * d) @ right)) for d in self.probes()]
            if min(margins) >= -self.TINY: return mode, right
            notes.append((diodes, min(margins)))
        raise RuntimeError(f"{self.net.name}: no mode at {t}: {notes}")

    def continues(self, mode, left, right):
        """Whether what is kept by capacitors and inductors may jump as it does: only where no mode without a jump is right."""
        keep = [self.column[f"u{e.name}"] if e.kind == "C" else self.column[f"i{e.name}"] for e in self.net.elements if e.kind in "LC"]
        return self.jumps or not self.segments and not keep or np.max(abs(left[keep] - right[keep]), initial=0) <= 1e-8 * self.scale

    jumps, objected = False, False

    def probes(self):
        period = self.net.stop
        return [0.0] + [period * p for p in (1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 3e-6)]

    def implicit_step(self, switches, z, allowed, length, leak):
        """The diodes that conduct at the end of one implicit step of nearly ideal ones: least index first."""
        length *= self.net.stop
        diodes = [on for on in (self.mode[0] if self.segments else [False] * len(self.diodes))]
        diodes = [on and a for on, a in zip(diodes, allowed)]
        top, right = self.E0 - length * self.A0, np.concatenate([self.E0 @ z, np.zeros(len(self.diodes) + len(self.switches))])
        for _ in range(4000):
            rows = self.rows_of_mode((diodes, switches), leak)
            try: new = np.linalg.solve(np.vstack([top, rows]), right)
            except np.linalg.LinAlgError: return None
            wrong = [k for k, e in enumerate(self.diodes) if allowed[k] and ((new[self.column[f"i{e.name}"]] < 0) if diodes[k] else (self.blocking(e) @ new > 0))]
            if not wrong: return tuple(diodes)
            diodes[wrong[0]] = not diodes[wrong[0]]
        return None

    def go(self, nudge):
        net = self.net
        z = self.row(one=1)
        for name in self.column:
            if name.startswith("cos"): z[self.column[name]] = 1
        self.base = z.copy()
        for e in net.elements:
            if e.kind in "LC":
                name = f"u{e.name}" if e.kind == "C" else f"i{e.name}"
                z[self.column[name]] = e.start + nudge.get(name, 0.0)
        sources = [abs(e.value[0]) + abs(e.value[1]) for e in net.elements if e.kind in "VI"]
        self.scale = max([abs(v) for v in z] + sources)
        scheduled = [e for e in net.elements if e.schedule]
        breaks = sorted({t for e in scheduled for t in e.schedule.changes(net.stop) if 1e-9 * net.stop < t < net.stop * (1 + 1e-12)})
        breaks = [t for k, t in enumerate(breaks) if k == 0 or t - breaks[k - 1] > 1e-12 * net.stop] + [net.stop]
        t, self.mode = 0.0, None
        ends = iter(breaks)
        end = next(ends)
        while t < net.stop:
            middle = (t + end) / 2
            switches = tuple(e.schedule.value(middle) for e in self.switches)
            self.gated = {e.name: e.schedule.value(middle) for e in net.elements if e.kind == "Th"}
            mode, right = self.settle(switches, z, t)
            if mode != self.mode and self.segments: self.events.append(t)
            self.mode = mode
            if len(self.segments) > 2000: raise RuntimeError(f"{net.name}: no end of events at {t}")
            t, z = self.leave(mode, right, t, end)
            self.objected = t < end
            if t >= end: end = next(ends, net.stop)

    def leave(self, mode, right, t, end):
        """Flows until a diode objects or the end."""
        flow = self.flow(mode)
        count = max(8, int(math.ceil(self.samples * (end - t) / self.net.stop)))
        step = (end - t) / count
        over = expm(flow["generator"] * step)
        state, begin = right, t
        for k in range(count):
            following = over @ state
            z = flow["into"] @ following
            if self.objections(mode, z) < -self.TINY:
                low, high = 0.0, step
                while high - low > 1e-16 * self.net.stop and low < (middle := (low + high) / 2) < high:
                    if self.objections(mode, flow["into"] @ (expm(flow["generator"] * middle) @ state)) < -self.TINY / 10: high = middle
                    else: low = middle
                ended = t + k * step + high
                self.segments.append((begin, ended, mode, right))
                return ended, flow["into"] @ (expm(flow["generator"] * high) @ state)
            state = following
        self.segments.append((begin, end, mode, right))
        return end, flow["into"] @ (expm(flow["generator"] * (end - begin)) @ right)

    def all_at(self, t):
        """All unknowns at a time; at an event, the right limits."""
        if t not in self.known:
            begin, _, mode, right = next(s for s in reversed(self.segments) if s[0] <= t)
            flow = self.flow(mode)
            self.known[t] = flow["into"] @ (expm(flow["generator"] * (t - begin)) @ right)
        return self.known[t]

    def value(self, name, t):
        """The value of a variable at a time, or nothing where the mode leaves it open."""
        begin, _, mode, _ = next(s for s in reversed(self.segments) if s[0] <= t)
        diode = next((e for e in self.diodes if name == f"u{e.name}"), None)
        row = self.blocking(diode) if diode else self.row(**{name: 1})
        if abs(row @ self.flow(mode)["free"]).max(initial=0) > 1e-9: return None
        return row @ self.all_at(t)

    def event_times(self):
        scheduled = [t for e in self.net.elements if e.schedule for t in e.schedule.changes(self.net.stop)]
        return sorted(set(self.events) | {t for t in scheduled if 0 < t <= self.net.stop * (1 + 1e-9)})

    def states(self):
        return [f"u{e.name}" if e.kind == "C" else f"i{e.name}" for e in self.net.elements if e.kind in "LC"]
