#!/usr/bin/env python3
"""Runs models of the gallery in Siconos, written as complementarity systems, beside `modeshift simulate`.

    apt install python3-siconos          # 4.4.0 on Debian 12
    PATH=…/target/release:$PATH /usr/bin/python3 tools/other_tools/siconos_runs.py

Prints a row of a table for each: the largest difference relative to the size of the variable at 40 times, for two step sizes.
"""

import csv
import math
import pathlib
import subprocess
import tempfile

import numpy as np
import siconos.kernel as sk

ROOT = pathlib.Path(__file__).resolve().parents[2]


def stepping(x0, A, b, B, C, D, law, stop, h, e=None):
    """States of x' = A x + b + B λ, y = C x + D λ + e, with a law between y and λ, by the method of Euler and Moreau."""
    system = sk.FirstOrderLinearTIDS(np.array(x0, float), np.array(A, float))
    if b is not None:
        system.setbPtr(np.array(b, float))
    relation = sk.FirstOrderLinearTIR(np.array(C, float), np.array(B, float))
    if D is not None:
        relation.setDPtr(np.array(D, float))
    if e is not None:
        relation.setePtr(np.array(e, float))
    interaction = sk.Interaction(law, relation)
    model = sk.NonSmoothDynamicalSystem(0, stop)
    model.insertDynamicalSystem(system)
    model.link(interaction, system)
    problem = sk.Relay() if isinstance(law, sk.RelayNSL) else sk.LCP()
    simulation = sk.TimeStepping(model, sk.TimeDiscretisation(0, h), sk.EulerMoreauOSI(0.5), problem)
    return loop(simulation, lambda: system.x())


def loop(simulation, state):
    rows = [(0.0, *state())]
    while simulation.hasNextEvent():
        simulation.computeOneStep()
        rows.append((simulation.nextTime(), *state()))
        simulation.nextStep()
    return rows


def water_tank(h):
    """x' = ρ y0 (1 + c) + λ2 - λ1 - y0, 0 <= 1 - x ⊥ λ1 >= 0, 0 <= x ⊥ λ2 >= 0; c = cos(2 π t) is a state."""
    w, y0, rho = 2 * math.pi, 6.667, 0.8
    A = [[0, rho * y0, 0], [0, 0, -w], [0, w, 0]]
    B = [[-1, 1], [0, 0], [0, 0]]
    C = [[-1, 0, 0], [1, 0, 0]]
    law = sk.ComplementarityConditionNSL(2)
    return stepping([0.5, 1, 0], A, [rho * y0 - y0, 0, 0], B, C, None, law, 2, h, e=[1, 0])


def diode_inductor(h):
    """i' = sin(t) - i + λ, 0 <= i ⊥ λ >= 0."""
    A = [[-1, 1, 0], [0, 0, 1], [0, -1, 0]]
    return stepping([0, 0, 1], A, None, [[1], [0], [0]], [[1, 0, 0]], None, sk.ComplementarityConditionNSL(1), 20, h)


def rectifier(h):
    """The bridge: λ = (i1, i2, a, b), currents of two diodes and the potentials at both ends of source and resistor."""
    V, w, R, C1, load = 10, 2 * math.pi * 50, 1, 1e-3, 100
    A = [[-1 / (load * C1), 0, 0], [0, 0, w], [0, -w, 0]]
    B = [[1 / C1, 1 / C1, 0, 0], [0] * 4, [0] * 4]
    C = [[1, 0, 0], [1, 0, 0], [0, -V / R, 0], [0, V / R, 0]]
    D = [[0, 0, -1, 0], [0, 0, 0, -1], [1, 0, 1 / R, -1 / R], [0, 1, -1 / R, 1 / R]]
    return stepping([0, 0, 1], A, None, B, C, D, sk.ComplementarityConditionNSL(4), 0.1, h)


def block_on_table(h):
    """v' = 2.5 s + λ, λ in 2 sign(-v); s = sin(2 π t) is a state."""
    w = 2 * math.pi
    A = [[0, 2.5, 0], [0, 0, w], [0, -w, 0]]
    return stepping([0, 0, 1], A, None, [[1], [0], [0]], [[1, 0, 0]], None, sk.RelayNSL(1, -2, 2), 1, h)


def bouncing_body(h):
    """A ball with Newton's law of impact, by the method of Moreau and Jean."""
    ball = sk.LagrangianLinearTIDS(np.array([1.0]), np.array([0.0]), np.eye(1))
    ball.setFExtPtr(np.array([-10.0]))
    interaction = sk.Interaction(sk.NewtonImpactNSL(0.5), sk.LagrangianLinearTIR(np.eye(1)))
    model = sk.NonSmoothDynamicalSystem(0, 0.8)
    model.insertDynamicalSystem(ball)
    model.link(interaction, ball)
    simulation = sk.TimeStepping(model, sk.TimeDiscretisation(0, h), sk.MoreauJeanOSI(0.5), sk.LCP())
    return loop(simulation, lambda: ball.q())


RUNS = [
    ("WaterTank", ["models/WaterTank.mo"], 2, "x", water_tank, [1e-2, 1e-3]),
    ("DiodeInductor", ["models/DiodeInductor.mo"], 20, "i", diode_inductor, [1e-2, 1e-3]),
    ("Rectifier", ["-", "-m", "Modeshift.Examples.Rectifier"], 0.1, "C.v", rectifier, [1e-4, 1e-5]),
    ("BlockOnTable", ["-", "-m", "Modeshift.Examples.BlockOnTable"], 1, "body.v", block_on_table, [1e-2, 1e-3]),
    ("BouncingBody", ["-", "-m", "Modeshift.Examples.BouncingBody"], 0.8, "body.s", bouncing_body, [1e-2, 1e-3]),
]


def reference(arguments, stop, variable, folder):
    table = pathlib.Path(folder) / "reference.csv"
    command = ["modeshift", "simulate", *arguments, "--stop", str(stop), "--interval", str(stop / 20000), "--vars", variable, "-o", str(table)]
    subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, check=True)
    rows = [[float(cell) for cell in row] for row in list(csv.reader(table.open()))[1:]]
    return np.array([row[0] for row in rows]), np.array([row[1] for row in rows])


def main():
    print("| model | step | largest difference |")
    print("|---|---|---|")
    for name, arguments, stop, variable, run, steps in RUNS:
        with tempfile.TemporaryDirectory() as folder:
            times, values = reference(arguments, stop, variable, folder)
        for h in steps:
            rows = run(h)
            at = [stop * (step + 0.37) / 40 for step in range(40)]
            ours, theirs = np.interp(at, times, values), np.interp(at, [row[0] for row in rows], [row[1] for row in rows])
            worst = np.max(np.abs(ours - theirs)) / np.max(np.abs(values))
            print(f"| {name} | {h:g} s | {worst:.1e} |", flush=True)


if __name__ == "__main__":
    main()
