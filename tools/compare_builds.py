#!/usr/bin/env python3
"""Compares what two builds of modeshift say: every command in every format on every model, byte by byte.

    tools/compare_builds.py OLD NEW [MODEL…] [--solver bdf] [--quiet]

OLD and NEW are programs; without MODEL, all files of models/. Compared are standard output, standard error, exit
status and every file that a command writes. Ends with `N compared, M different` and exit status 1 where M > 0.
"""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECONDS = 300

COMMANDS = [
    ["parse"],
    *(["flatten", "--format", form] for form in ("text", "json")),
    *(["check", "--format", form] for form in ("text", "json")),
    *(["analyze", "--format", form] for form in ("text", "json", "dot", "svg")),
    *(["init", "--format", form] for form in ("text", "json")),
    *(["changes", "--format", form] for form in ("text", "json", "dot", "svg")),
    ["rimis"],
    ["rimis", "--plain"],
    ["rimis", "--check"],
]


def simulations(solvers):
    for solver in solvers:
        yield ["simulate", "--solver", solver, "-o", "result.csv", "--events", "events.json", "--plot", "plot.svg"]
    yield ["simulate", "-o", "result.mat"]


def outcome(program, command, model):
    """All that a command leaves behind, by name."""
    with tempfile.TemporaryDirectory() as directory:
        shutil.copy(model, directory)
        line = [program, command[0], model.name, *command[1:]]
        try:
            done = subprocess.run(line, cwd=directory, capture_output=True, timeout=SECONDS, check=False)
            seen = {"stdout": done.stdout, "stderr": done.stderr, "status": str(done.returncode).encode()}
        except subprocess.TimeoutExpired:
            seen = {"status": b"took too long"}
        for file in sorted(os.listdir(directory)):
            if file != model.name:
                seen[file] = (pathlib.Path(directory) / file).read_bytes()
        return seen


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=os.path.abspath)
    parser.add_argument("new", type=os.path.abspath)
    parser.add_argument("models", nargs="*", type=pathlib.Path)
    parser.add_argument("--solver", action="append", help="integration methods to compare; default bdf")
    parser.add_argument("--commands", help="only these, separated by commas")
    parser.add_argument("--quiet", action="store_true", help="no line per difference")
    options = parser.parse_args()
    models = options.models or sorted((ROOT / "models").iterdir())
    commands = [*COMMANDS, *simulations(options.solver or ["bdf"])]
    if options.commands:
        commands = [command for command in commands if command[0] in options.commands.split(",")]
    pairs = [(model.resolve(), command) for model in models for command in commands]
    compared = different = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        old = pool.map(lambda pair: outcome(options.old, pair[1], pair[0]), pairs)
        new = pool.map(lambda pair: outcome(options.new, pair[1], pair[0]), pairs)
        for (model, command), before, after in zip(pairs, old, new):
            for part in sorted(before.keys() | after.keys()):
                compared += 1
                if before.get(part) != after.get(part):
                    different += 1
                    if not options.quiet:
                        print(f"{model.name}: {' '.join(command)}: {part} differs", flush=True)
    print(f"{len(models)} models, {len(commands)} commands each: {compared} compared, {different} different")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
