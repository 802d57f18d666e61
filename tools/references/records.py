"""What a reference is written down as: values at times away from events, sizes, amplification."""
import json
import math
import pathlib

MODELS = pathlib.Path(__file__).parents[2] / "crates/cli/tests/instant/models"
NUDGE = 1e-7  # relative perturbation of the start by which amplification is measured


def check_times(stop, interval, events, count=8):
    """Rows of the output as far from events as can be had, one in each part of the run."""
    rows, events = int(round(stop / interval)), [0.0] + sorted(events) + [stop * 2]
    far = lambda k: min(abs(k * interval - e) for e in events)
    found = []
    for part in range(count):
        inside = range(max(1, rows * part // count), rows * (part + 1) // count)
        if inside: found.append(max(inside, key=far) * interval)
    return [t for t in dict.fromkeys(found) if far(round(t / interval)) > 1e-3 * interval]


def amplification(base, nudged, checks, largest):
    """How much a relative perturbation of the start has grown at the checks, at least 1."""
    worst = 1.0
    for run in nudged:
        for var, t in checks:
            a, b = base(var, t), run(var, t)
            if a is None or b is None or not largest[var]: continue
            worst = max(worst, abs(a - b) / (NUDGE * largest[var]))
    return float(f"{worst:.3g}")


def write(kind, records, only=()):
    """The file of a kind: one line per check; with names, only these are replaced."""
    path, lines = MODELS / f"{kind}.json", []
    if only:
        records = records + [it for it in json.loads(path.read_text()) if it["model"] not in only]
    for it in sorted(records, key=lambda it: it["model"]):
        checks = ",\n    ".join(json.dumps(c) for c in it["checks"])
        head = json.dumps({k: v for k, v in it.items() if k != "checks"})[:-1]
        lines.append(f'  {head},\n   "checks": [\n    {checks}]}}')
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n")
