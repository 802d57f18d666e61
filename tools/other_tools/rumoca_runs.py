#!/usr/bin/env python3
"""Runs the models of the gallery in rumoca, as they are and as `modeshift rimis` writes them, beside `modeshift simulate`.

    pip install rumoca==0.10.2
    PATH=…/target/release:$PATH tools/other_tools/rumoca_runs.py

Prints a row of a table for each: what rumoca says, or the largest difference to `modeshift simulate` relative to the size of the
variable, at up to 40 times between events. Each run has a minute. Names of models behind it choose some of them.
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile

from models import GALLERY

ROOT = pathlib.Path(__file__).resolve().parents[2]

CHILD = r"""
import json, sys, rumoca
path, name, stop, variables = sys.argv[1], sys.argv[2], float(sys.argv[3]), json.loads(sys.argv[4])
try:
    text = open(path).read()
    model = rumoca.Session().loads(text, model=name or None)
except Exception as error:
    print(json.dumps({"phase": "refuses it", "error": str(error)})); sys.exit()
try:
    result = model.simulate(stop, dt=stop / 500, config=rumoca.SimConfig(rtol=1e-8, atol=1e-10))
    print(json.dumps({"time": list(map(float, result.time)), "values": [list(map(float, result[v])) for v in variables]}))
except Exception as error:
    print(json.dumps({"phase": "stops", "error": str(error)}))
"""


def library():
    """The library `Modeshift` as one text."""
    folder = ROOT / "library/Modeshift"
    parts = [(folder / f"{name}.mo").read_text() for name in ["Electrical", "Rotational", "Translational", "Fluid", "Examples"]]
    inside = "\n".join(part.replace("within Modeshift;", "") for part in parts)
    return "package Modeshift\n" + inside + "\nend Modeshift;\n"


def without_library(text):
    """A text without the names of the Standard Library that Modeshift knows by itself."""
    return text.replace("Modelica.Math.cos", "cos").replace("Modelica.Constants.pi", "3.141592653589793")


def of_page(page, title):
    """The model of this name on a page of the book."""
    text = (ROOT / page).read_text()
    start = text.index(f"// {title}.mo\n")
    return text[start : text.index(f"end {title};", start)] + f"end {title};\n"


def modeshift(arguments):
    return subprocess.run(["modeshift", *arguments], cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True)


def source(model):
    """The arguments that name a model."""
    return ["-", "-m", model] if model.startswith("Modeshift.") else [model]


def reference(model, stop, options, folder):
    """The result of `modeshift simulate`, as a function of column and time, and the times of events."""
    table = folder / "reference.csv"
    modeshift(["simulate", *source(model), *options, "--stop", str(stop), "-o", str(table)])
    rows = list(csv.reader(table.open()))
    names, rows = rows[0], [[float(cell) if cell else float("nan") for cell in row] for row in rows[1:]]
    return names, rows


def value(times, values, time):
    """Linear interpolation; at an event, the right limit."""
    import bisect

    after = min(max(bisect.bisect_right(times, time), 1), len(times) - 1)
    t0, t1 = times[after - 1], times[after]
    return values[after - 1] if t1 == t0 else values[after - 1] + (values[after] - values[after - 1]) * (time - t0) / (t1 - t0)


def run(path, name, stop, variables):
    """What rumoca does with a text."""
    command = [sys.executable, "-c", CHILD, str(path), name, str(stop), json.dumps(variables)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return {"phase": "does not end within a minute", "error": ""}
    if done.returncode or not done.stdout.strip():
        return {"phase": "crashes", "error": (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]}
    return json.loads(done.stdout.strip().splitlines()[-1])


def verdict(result, variables, names, rows, stop):
    if "error" in result:
        words = " ".join(result["error"].split())
        words = words.replace(str(ROOT), "").replace("|", "/").replace("`", "'")
        return result["phase"] + (f": {words[:110]}{'…' if len(words) > 110 else ''}" if words else "")
    times = [row[0] for row in rows]
    events = [b for a, b in zip(times, times[1:]) if a == b]
    worst, compared = 0.0, 0
    for index, variable in enumerate(variables):
        column = [row[names.index(variable)] for row in rows]
        size = max((abs(v) for v in column if v == v), default=0) or 1.0
        for step in range(40):
            time = stop * (step + 0.37) / 40
            if any(abs(time - event) < stop / 500 for event in events):
                continue
            compared += 1
            worst = max(worst, abs(value(times, column, time) - value(result["time"], result["values"][index], time)) / size)
    assert compared >= 10, "too many events to compare between them"
    return f"runs; differs by {worst:.0e}" if worst < 1e-3 else f"runs, wrongly: differs by {100 * worst:.0f} %"


def main():
    print("| model | rumoca 0.10.2 | rumoca with what `rimis` writes |")
    print("|---|---|---|")
    chosen = [row for row in GALLERY if not sys.argv[1:] or row[0] in sys.argv[1:]]
    for title, model, stop, variables, options in chosen:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            if model.endswith(".md"):
                (folder / f"{title}.mo").write_text(of_page(model, title))
                model = str(folder / f"{title}.mo")
            names, rows = reference(model, stop, options, folder)
            if model.endswith(".mel"):
                plain = "does not read MEL"
            else:
                text = folder / "model.mo"
                own = "" if model.startswith("Modeshift.") else (ROOT / model).read_text()
                text.write_text(without_library(library() + own if "Modeshift." in model + own else own))
                name = model if model.startswith("Modeshift.") else title
                plain = verdict(run(text, name, stop, variables), variables, names, rows, stop)
            rewritten = folder / "rimis.mo"
            outcome = modeshift(["rimis", *source(model), *options, "-o", str(rewritten)])
            if outcome.returncode:
                first = next(line for line in outcome.stderr.splitlines() if line.startswith("error"))
                other = "`rimis` refuses: " + first.split(": ", 1)[1].replace("`", "'")
            else:
                columns = [f"'{v}'" if "[" in v or "." in v else v for v in variables]
                result = run(rewritten, "", stop, columns)
                if "error" in result and "not found" in result["error"].lower():
                    result = run(rewritten, "", stop, variables)
                other = verdict(result, variables, names, rows, stop)
            print(f"| {title} | {plain} | {other} |", flush=True)


if __name__ == "__main__":
    main()
