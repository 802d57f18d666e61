"""A second opinion on the references of power electronics: implicit Euler with nearly ideal diodes, a complementarity problem per step.

`python step_power.py [NAME…]` prints the largest deviation from the references; it falls like the length of the step.
"""
import json
import sys

import numpy as np

import power
import records
from network import Run


class Stepped(Run):
    """A run by small implicit steps; `rows` are all unknowns at the ends of steps."""

    def __init__(self, net, count, leak=1e-7):
        self.count, self.leak = count, leak
        super().__init__(net)

    def go(self, nudge):
        net, step = self.net, self.net.stop / self.count
        z = self.row(one=1)
        for name in self.column:
            if name.startswith("cos"): z[self.column[name]] = 1
        for e in net.elements:
            if e.kind in "LC": z[self.column[f"u{e.name}" if e.kind == "C" else f"i{e.name}"]] = e.start
        self.rows, diodes, self.inverses = [z], [False] * len(self.diodes), {}
        for k in range(self.count):
            middle = (k + 0.5) * step
            switches = tuple(e.schedule.value(middle) for e in self.switches)
            allowed = [e.kind == "D" or on or e.schedule.value(middle) for e, on in zip(self.diodes, diodes)]
            z, diodes = self.one_step(z, [on and a for on, a in zip(diodes, allowed)], switches, allowed, step)
            # The oscillators of the sources are exact, only the network is stepped.
            for name in self.column:
                if name.startswith("sin"): z[self.column[name]], z[self.column["cos" + name[3:]]] = np.sin(float(name[3:]) * (k + 1) * step), np.cos(float(name[3:]) * (k + 1) * step)
            self.rows.append(z)

    def one_step(self, z, diodes, switches, allowed, step):
        right = np.concatenate([self.E0 @ z, np.zeros(len(diodes) + len(switches))])
        for _ in range(4000):
            key = (tuple(diodes), switches)
            if key not in self.inverses:
                rows = self.rows_of_mode(key, self.leak)
                self.inverses[key] = np.linalg.inv(np.vstack([self.E0 - step * self.A0, rows]))
            new = self.inverses[key] @ right
            wrong = [j for j, e in enumerate(self.diodes) if allowed[j] and (new[self.column[f"i{e.name}"]] < 0 if diodes[j] else self.blocking(e) @ new > 0)]
            if not wrong: return new, diodes
            diodes[wrong[0]] = not diodes[wrong[0]]
        raise RuntimeError(f"{self.net.name}: no end of pivots")


def main():
    known = {it["model"]: it for it in json.loads((records.MODELS / "power.json").read_text())}
    for net in power.all_nets():
        if net.name not in known or sys.argv[1:] and net.name not in sys.argv[1:]: continue
        it, count = known[net.name], 20 * int(round(net.stop / net.interval)) * 10
        try:
            run = Stepped(net, count)
        except RuntimeError as error:
            print(net.name, error)
            continue
        states, worst = run.states(), 0.0
        for check in it["checks"]:
            if check["var"] not in states: continue
            found = run.rows[int(round(check["t"] / net.tau / net.stop * count))][run.column[check["var"]]] * net.unit
            worst = max(worst, abs(found - check["value"]) / (it["largest"][check["var"]] or 1))
        print(f"{net.name} {worst:.1e}", flush=True)


if __name__ == "__main__":
    main()
