"""Many runs of one model, in threads of this process, on Dask or on Ray."""

from __future__ import annotations

import operator
import os
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional

from . import _engine
from ._models import PathLike, Value, library_list, parameter_list, read_source

Specification = tuple
Contents = tuple
_plans: dict[Specification, "_engine.Plan"] = {}

#: A lost worker's runs are made again so often.
RETRIES = 5
#: So many chunks per worker: few enough to amortise loading, many enough that nobody waits for the last one.
CHUNKS_PER_WORKER = 8


@dataclass(frozen=True)
class Sweep:
    """What came of a sweep: where its table is, how many runs there are, and how many of them had no success."""

    output: Path
    count: int
    failed: int

    def table(self, what: str = "") -> Any:
        """The table of runs, or that of ``"events"`` or ``"signals"``, as one of pyarrow's."""
        path = self.output if not what else self.output.with_suffix(f".{what}{self.output.suffix}")
        if path.suffix == ".parquet":
            from pyarrow import parquet

            return parquet.read_table(path)
        if path.suffix == ".arrow":
            from pyarrow import ipc

            with ipc.open_file(path) as file:
                return file.read_all()
        from pyarrow import csv

        return csv.read_csv(path)

    def to_pandas(self, what: str = "") -> Any:
        """The same as a data frame."""
        return self.table(what).to_pandas()


def _plan(specification: Specification) -> "_engine.Plan":
    """The plan with its model, which stays loaded in this process, as long as its files are the same."""
    known = _plans.get(specification)
    if known is None or not known.is_current():
        *parts, libraries, parameters = specification
        _plans[specification] = known = _engine.Plan(*parts, list(libraries), list(parameters))
    return known


def _chunk(specification: Specification, contents: Contents, runs: list[int]) -> list[bytes]:
    """What a worker does: some runs, and their records. Its files are those that the sweep was begun with."""
    plan = _plans.get(specification)
    if plan is None or _other(plan, contents) is not None:
        plan = _plan(specification)
    path = _other(plan, contents)
    if path is not None:
        raise RuntimeError(f"{path} is not the file that the sweep was begun with")
    return plan.run(runs)


def _other(plan: "_engine.Plan", contents: Contents) -> Optional[Path]:
    """A file that is another one for this plan, if one is."""
    own = dict(plan.contents())
    return next((path for path, fingerprint in contents if own.get(path, fingerprint) != fingerprint), None)


def sweep(
    plan: PathLike,
    output: Optional[PathLike] = None,
    *,
    model: Optional[PathLike] = None,
    libraries: Iterable[PathLike] = (),
    parameters: Optional[Mapping[str, Value]] = None,
    client: Any = None,
    workers: Optional[int] = None,
    chunk: Optional[int] = None,
    progress: Optional[Callable[[int, int], object]] = None,
) -> Sweep:
    """Makes the runs of a plan, as ``modeshift sweep`` does, and writes the same tables.

    ``client`` is a ``distributed.Client`` of Dask, or the module ``ray``; without one, the runs are made in threads of this process.
    ``chunk`` is how many runs a worker gets at a time. Records go to a journal beside the result as they come: a sweep that was
    interrupted goes on where it was, and no run is made twice because a worker was lost. ``progress`` is called with the number of
    runs that are done and of all.
    """
    for name, number in (("workers", workers), ("chunk", chunk)):
        if number is not None and (isinstance(number, bool) or operator.index(number) < 1):
            raise ValueError(f"{name} is a whole number from 1 on, not {number}")
    plan = Path(plan)
    text = plan.read_text(encoding="utf-8")
    is_csv = plan.suffix.lower() == ".csv"
    file, class_name, own = _engine.Plan.parts(text, is_csv)
    if model is None and file is None:
        raise ValueError(f"{plan}: which model? Give `model`, or name its file in the plan")
    source = Path(model) if model is not None else plan.parent / file
    name, model_text, path, is_mel = read_source(source)
    places = library_list([*libraries, *(plan.parent / library for library in own)])
    given = tuple(parameter_list(parameters or {}))
    specification = (text, is_csv, name, model_text, path.resolve(), is_mel, class_name, tuple(places), given)
    output = Path(output) if output is not None else plan.with_suffix(".parquet")
    journal = output.with_suffix(f".journal{output.suffix}")
    runs = _plan(specification)
    done = set(runs.done(journal))
    todo = [run for run in range(runs.count) if run not in done]
    finished = len(done)
    task = (specification, tuple(runs.contents()) if todo else ())
    for records in _made(task, todo, client, workers, chunk):
        runs.add(journal, records)
        finished += len(records)
        if progress is not None:
            progress(finished, runs.count)
    failed = runs.write(journal, output)
    journal.unlink()
    return Sweep(output, runs.count, failed)


def _made(
    task: tuple[Specification, Contents], todo: list[int], client: Any, workers: Optional[int], chunk: Optional[int]
) -> Iterator[list[bytes]]:
    """Records of runs, some at a time, in whatever order they come."""
    if client is None:
        made, count = _by_threads, workers or os.cpu_count() or 1
    elif hasattr(client, "remote") and hasattr(client, "wait"):
        made, count = _by_ray, workers or int(client.cluster_resources().get("CPU", 1))
    elif hasattr(client, "submit") and hasattr(client, "scheduler_info"):
        made, count = _by_dask, workers or sum(client.nthreads().values()) or 1
    else:
        raise TypeError("client is a distributed.Client of Dask, or the module ray")
    size = chunk or max(1, min(1000, len(todo) // (count * CHUNKS_PER_WORKER)))
    chunks = [todo[at : at + size] for at in range(0, len(todo), size)]
    return made(task, chunks, client, count)


def _by_threads(task, chunks, _client, count) -> Iterator[list[bytes]]:
    with ThreadPoolExecutor(count) as pool:
        pending = {pool.submit(_chunk, *task, runs) for runs in chunks}
        try:
            for future in as_completed(pending):
                # Records that were handed on are not kept.
                pending.discard(future)
                yield future.result()
        finally:
            for future in pending:
                future.cancel()


def _by_dask(task, chunks, client, _count) -> Iterator[list[bytes]]:
    import distributed

    futures = [client.submit(_chunk, *task, runs, pure=False, retries=RETRIES) for runs in chunks]
    for future in distributed.as_completed(futures):
        yield future.result()
        future.release()


def _by_ray(task, chunks, ray, count) -> Iterator[list[bytes]]:
    run = ray.remote(_chunk).options(max_retries=RETRIES)
    shared = [ray.put(part) for part in task]
    waiting, pending = list(reversed(chunks)), []
    while waiting or pending:
        # As many as keep everyone busy: results are not piled up.
        while waiting and len(pending) < 4 * count:
            pending.append(run.remote(*shared, waiting.pop()))
        ready, pending = ray.wait(pending)
        yield from ray.get(ready)
