#!/usr/bin/env python3
"""Compares how fast two builds of modeshift are: every benchmark of benches/RESULTS.md, line by line.

    tools/compare_speed.py OLD NEW [--only scale,rimis] [--times] [--jobs 1]

OLD and NEW are directories of cargo (`target/release`) after `cargo bench --bench all --no-run` and `cargo build
--release`, both with the benches of one commit and the same profile. Counted are the instructions of what a benchmark measures
(`clock::measured`; of `rumoca` those of the whole program), by callgrind: they do not depend on what else the machine
does. With --times it is the processor time of whole programs at larger sizes instead, both builds in turn, the median
of five. Prints a table in Markdown and the geometric means of the ratios, of each benchmark and of all; exit status 1
where the last is above 1.05 or a ratio above 1.15.
"""

import argparse
import concurrent.futures
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What is asked for: more than this is slower, on the whole or in one line.
MOST_OVERALL, MOST_OF_A_LINE = 1.05, 1.15
ROUNDS = 5


def scale(size):
    least = {"incompressible scrambled": 300, "pipe natural": 100, "pipe scrambled": 100}
    models = ["line", "line-plugs", "tree", "compressible", "incompressible", "westinghouse", "clutches", "grid", "pipe"]
    for model in models:
        for order in ("natural", "scrambled"):
            of_line = min(size, least.get(f"{model} {order}", size))
            yield f"{model}, {of_line}, {order}", ["one", model, str(of_line), order]


def flatten(size):
    for model in ("FaultyCoaxial", "FaultyCoaxialVariableDimension"):
        yield f"{model}, {size}", ["one", model, str(size)]


def initialization(size):
    for model in ("line", "clutches", "tree"):
        for kind in ("fixed", "free", "steady"):
            # The chain of clutches at rest grows with the third power.
            of_line = min(size, 300 if (model, kind) == ("clutches", "steady") else size)
            yield f"{model}, {kind}, {of_line}", ["one", model, kind, str(of_line)]


def changes(size):
    for model in ("line", "line-plugs", "clutches"):
        yield f"{model}, {size}", ["one", model, str(size)]


def mode_changes(size):
    for model in ("one-by-one", "wave", "scattered", "line", "line-repaired"):
        yield f"{model}, {size}", ["--only", model, "--size", str(size), "--once"]


def integration(_):
    for system in ("van_der_pol", "amplifier", "brusselator", "planet"):
        yield f"{system}, all before", ["one", system]
        for tolerance in ("1e-6", "1e-8"):
            yield f"{system}, bdf, {tolerance}", ["one", system, "bdf", tolerance]


def runge_kutta(_):
    """Apart from the others, so that these methods, where they are faster, do not make up for what is slower."""
    for system in ("van_der_pol", "amplifier", "brusselator", "planet"):
        # An explicit method suits what is not stiff.
        for method in ("esdirk", "explicit") if system == "planet" else ("esdirk",):
            for tolerance in ("1e-6", "1e-8"):
                yield f"{system}, {method}, {tolerance}", ["one", system, method, tolerance]


def rimis(size):
    yield f"{size}", ["one", str(size)]


def rumoca(_):
    for model, stop in (("BouncingBall", 3.5), ("Ladder", 10.0), ("Pendulum", 10.0)):
        file = ROOT / "benches" / "rumoca" / f"{model}.mo"
        times = ["--stop", str(stop), "--interval", str(stop / 500), "--tolerance", "1e-6"]
        yield model, ["simulate", str(file), "-o", "result.csv", *times]


# Each with its size under callgrind, which takes fifty times as long, and its size for processor times.
BENCHMARKS = {
    scale: (1000, 10000),
    flatten: (1000, 10000),
    initialization: (1000, 10000),
    changes: (300, 3000),
    mode_changes: (200, 1000),
    integration: (None, None),
    runge_kutta: (None, None),
    rimis: (300, 3000),
    rumoca: (None, None),
}


def program(build, benchmark):
    """The program with all benchmarks, or the one that users run where it is what is measured."""
    if benchmark is rumoca:
        return build / "modeshift"
    found = [it for it in (build / "deps").glob("all-*") if it.suffix == "" and os.access(it, os.X_OK)]
    if not found:
        sys.exit(f"{build} has no benchmarks: cargo bench --bench all --no-run")
    return max(found, key=lambda it: it.stat().st_mtime)


def surroundings(benchmark):
    """Where the program with all benchmarks looks for which one is wanted."""
    name = "integration" if benchmark is runge_kutta else benchmark.__name__
    return {**os.environ, "MODESHIFT_BENCHMARK": name}


def instructions(path, benchmark, arguments):
    """Of what is measured, in millions."""
    line = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    if benchmark is not rumoca:
        line.append("--toggle-collect=*clock::measured*")
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run(
            [*line, path, *arguments],
            cwd=directory,
            env=surroundings(benchmark),
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode != 0:
        sys.exit(f"{path} {' '.join(arguments)}: {done.stderr[-2000:]}")
    return int(re.search(r"Collected : (\d+)", done.stderr)[1]) / 1e6


def processor_time(path, benchmark, arguments):
    """Of one run, in milliseconds."""
    with tempfile.TemporaryDirectory() as directory:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        running = subprocess.Popen([path, *arguments], cwd=directory, env=surroundings(benchmark), **quiet)
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode != 0:
        sys.exit(f"{path} {' '.join(arguments)} failed")
    return 1e3 * (usage.ru_utime + usage.ru_stime)


def times(old, new, benchmark, arguments):
    """The medians of both, which run in turn."""
    runs = [[processor_time(path, benchmark, arguments) for path in (old, new)] for _ in range(ROUNDS)]
    return [statistics.median(of_one) for of_one in zip(*runs)]


def mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("new", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--only", help="benchmarks, separated by commas")
    parser.add_argument("--lines", help="only lines in whose name this occurs", default="")
    parser.add_argument("--times", action="store_true", help="processor times instead of instructions")
    parser.add_argument("--jobs", type=int, default=1, help="how many run at once under callgrind")
    options = parser.parse_args()
    lines = [
        (benchmark, name, arguments)
        for benchmark, sizes in BENCHMARKS.items()
        if not options.only or benchmark.__name__ in options.only.split(",")
        for name, arguments in benchmark(sizes[options.times])
        if options.lines in name
    ]

    def compare(line):
        benchmark, _, arguments = line
        old, new = program(options.old, benchmark), program(options.new, benchmark)
        if options.times:
            return times(old, new, benchmark, arguments)
        return [instructions(path, benchmark, arguments) for path in (old, new)]

    unit = "ms" if options.times else "10^6 instructions"
    print(f"| benchmark | line | before, {unit} | after | ratio |\n|---|---|---|---|---|")
    ratios = {}
    with concurrent.futures.ThreadPoolExecutor(max_workers=1 if options.times else options.jobs) as pool:
        for (benchmark, name, _), (before, after) in zip(lines, pool.map(compare, lines)):
            ratios.setdefault(benchmark.__name__, []).append(after / before)
            print(f"| {benchmark.__name__} | {name} | {before:,.1f} | {after:,.1f} | {after / before:.3f} |", flush=True)
    print("\n| benchmark | lines | geometric mean | largest |\n|---|---|---|---|")
    everything = [ratio for name, of_one in ratios.items() if name != "runge_kutta" for ratio in of_one]
    for name, of_one in [*ratios.items(), ("all but runge_kutta", everything)]:
        if not of_one:
            continue
        print(f"| {name} | {len(of_one)} | {mean(of_one):.3f} | {max(of_one):.3f} |")
    largest = max(ratio for of_one in ratios.values() for ratio in of_one)
    return 1 if largest > MOST_OF_A_LINE or (everything and mean(everything) > MOST_OVERALL) else 0


if __name__ == "__main__":
    sys.exit(main())
