"""Models: analyses and runs of them."""

from __future__ import annotations

import html
import json
import os
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Optional, Sequence, Union

import numpy

from . import _engine
from ._results import Result
from ._simulators import Simulator

PathLike = Union[str, "os.PathLike[str]"]
Value = Union[float, int, bool, str]
Progress = Callable[[float, int], object]


def written(value: Value) -> str:
    """A value as ``--set`` takes it.

    >>> written(True), written(2), written(0.1), written("2*R")
    ('true', '2', '0.1', '2*R')
    """
    if isinstance(value, (bool, numpy.bool_)):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, (int, numpy.integer)):
        return str(int(value))
    number = float(value)
    if not numpy.isfinite(number):
        raise ValueError(f"{number} is no value of a parameter")
    return repr(number)


def parameter_list(parameters: Mapping[str, Value]) -> list[tuple[str, str]]:
    return [(name, written(value)) for name, value in parameters.items()]


def library_list(libraries: Iterable[PathLike]) -> list[Path]:
    """The directories that were named, then those of MODELICAPATH."""
    named = [Path(library) for library in libraries]
    for library in named:
        if not library.is_dir():
            raise FileNotFoundError(f"there is no directory {library}")
    path = os.environ.get("MODELICAPATH", "")
    others = [Path(part) for part in path.split(os.pathsep) if part]
    return named + [part for part in others if part.is_dir()]


def read_source(path: PathLike) -> tuple[str, str, Path, bool]:
    """Name, text, path and language of a file; of the directory of a package, its ``package.mo``."""
    path = Path(path)
    if path.is_dir():
        path = path / "package.mo"
    text = path.read_bytes().decode("utf-8-sig")
    return str(path), text, path, path.suffix.lower() == ".mel"


def load(
    path: PathLike,
    model: Optional[str] = None,
    libraries: Iterable[PathLike] = (),
    parameters: Optional[Mapping[str, Value]] = None,
    node_limit: Optional[int] = None,
    time_limit: Optional[float] = None,
) -> "Model":
    """A model from a file: Modelica (``.mo``), MEL (``.mel``), or the directory of a package.

    ``model`` is the class, by default the last one of the file that is not partial. Libraries are looked for in ``libraries``, then
    where ``MODELICAPATH`` says. ``parameters`` are values of parameters or constants, array sizes included.
    """
    name, text, file, is_mel = read_source(path)
    return Model._of((name, text, file, is_mel), model, libraries, parameters, node_limit, time_limit)


def loads(
    text: str,
    model: Optional[str] = None,
    libraries: Iterable[PathLike] = (),
    parameters: Optional[Mapping[str, Value]] = None,
    node_limit: Optional[int] = None,
    time_limit: Optional[float] = None,
) -> "Model":
    """A model from a text in Modelica.

    >>> loads("model M Real x; equation x = 1; end M;").check().ok
    True
    """
    return Model._of(("<text>", text, None, False), model, libraries, parameters, node_limit, time_limit)


class Report:
    """The answer to a question about a model: ``text`` for people, ``data`` for programs, ``svg`` where there is a picture.

    What the data means is said in ``docs/json.md``; its keys are attributes too.

    >>> report = loads("model M Real x; equation der(x) = -x; end M;").analyze()
    >>> report.verdict
    'regular'
    >>> report.data["mode_count"]
    '1'
    """

    def __init__(self, raw: "_engine.Report") -> None:
        self.text: str = raw.text
        self.data: Any = json.loads(raw.json)
        self.svg: Optional[str] = raw.svg
        self.messages: str = raw.messages
        self.diagnostics: list[dict[str, Any]] = json.loads(raw.diagnostics)

    def __getattr__(self, name: str) -> Any:
        data = self.__dict__.get("data")
        if isinstance(data, dict) and name in data:
            return data[name]
        raise AttributeError(f"the report has no `{name}`")

    def __repr__(self) -> str:
        return self.messages + self.text

    def _repr_html_(self) -> str:
        words = f"<pre>{html.escape(self.messages + self.text)}</pre>"
        return words if self.svg is None else self.svg + words


class Linearization(Report):
    """A mode as a linear system: ``A``, ``B``, ``C`` and ``D`` as numpy arrays, and the names of ``states``, ``inputs`` and ``outputs``.

    >>> m = loads("model M input Real u; Real x(start = 3, fixed = true); equation der(x) = u - x^2; end M;")
    >>> system = m.linearize(outputs=["x"])
    >>> system.states, system.inputs, system.outputs
    (['x'], ['u'], ['x'])
    >>> float(system.A[0, 0]), float(system.B[0, 0])
    (-6.0, 1.0)
    >>> float(m.linearize(state={"x": 1}).A[0, 0])
    -2.0
    """

    def __init__(self, raw: "_engine.Report") -> None:
        super().__init__(raw)
        names = {key: [item["name"] for item in self.data[key]] for key in ("states", "inputs", "outputs")}
        self.states: list[str] = names["states"]
        self.inputs: list[str] = names["inputs"]
        self.outputs: list[str] = names["outputs"]

        def matrix(key: str, rows: list[str], columns: list[str]) -> Any:
            return numpy.array(self.data[key], dtype=float).reshape(len(rows), len(columns))

        self.A = matrix("A", self.states, self.states)
        self.B = matrix("B", self.states, self.inputs)
        self.C = matrix("C", self.outputs, self.states)
        self.D = matrix("D", self.outputs, self.inputs)


class Model:
    """A model; :func:`load` and :func:`loads` make it.

    Nothing is read or analyzed before it is asked for. Runs are made with a model that is loaded once; a change of a parameter that
    the structure does not depend on costs no loading.

    >>> m = loads('''
    ... model Decay
    ...   parameter Real k = 1 "how fast";
    ...   parameter Integer n = 1;
    ...   Real x[n](each start = 1, each fixed = true);
    ... equation
    ...   for i in 1:n loop der(x[i]) = -k*x[i]; end for;
    ... end Decay;''')
    >>> m.structural_parameters
    ['n']
    >>> ends = [m.simulate(k=k)["x[1]"][-1] for k in (1, 2, 3)]
    >>> m.loadings
    1
    >>> sorted(m.simulate(n=2).names)
    ['x[1]', 'x[2]']
    >>> m.loadings
    2
    """

    def __init__(self, engine: "_engine.Model") -> None:
        self._engine = engine
        self._known: Optional[dict[str, Any]] = None

    @classmethod
    def _of(cls, source, model, libraries, parameters, node_limit, time_limit) -> "Model":
        name, text, path, is_mel = source
        given = parameter_list(parameters or {})
        places = library_list(libraries)
        return cls(_engine.Model(name, text, path, is_mel, model, places, given, node_limit, time_limit))

    # Questions

    def check(self) -> Report:
        """Every verdict at once; ``report.ok`` says whether all is well, and the messages are in ``report.messages``."""
        return Report(self._engine.check())

    def flatten(self) -> Report:
        """The guarded equation system that was understood."""
        return Report(self._engine.flatten())

    def analyze(self, at: Optional[str] = None) -> Report:
        """The structure of all modes, or of those that ``at`` names, such as ``"bh=true,bl=false"``."""
        return Report(self._engine.analyze(at))

    def init(self, at: Optional[str] = None, scenario: Optional[str] = None, impulsive_start: bool = False) -> Report:
        """Which start values are needed, missing or too many, and what they are."""
        return Report(self._engine.init(at, scenario, impulsive_start))

    def changes(self, source: Optional[str] = None, target: Optional[str] = None) -> Report:
        """What every mode change does, or those from ``source`` to ``target``."""
        return Report(self._engine.changes(source, target))

    def semantics(self, at: Optional[str] = None) -> Report:
        """The constructive semantics: every instant, micro-step by micro-step."""
        return Report(self._engine.semantics(at))

    def linearize(
        self,
        time: Optional[float] = None,
        state: Optional[Mapping[str, float]] = None,
        inputs: Optional[Sequence[str]] = None,
        outputs: Optional[Sequence[str]] = None,
        tolerance: Optional[float] = None,
    ) -> Linearization:
        """The mode that a run is in at a time, as a linear system there, or with other values of some states."""
        states = [(name, float(value)) for name, value in (state or {}).items()]
        given = None if inputs is None else list(inputs)
        wanted = None if outputs is None else list(outputs)
        return Linearization(self._engine.linearize(time, states, given, wanted, tolerance))

    def rimis(self, plain: bool = False) -> str:
        """An equivalent model that ordinary tools run, as Modelica text."""
        return self._engine.rimis(plain).text

    # What is known of it

    def _info(self) -> dict[str, Any]:
        if self._known is None:
            self._known = json.loads(self._engine.info())
        return self._known

    @property
    def name(self) -> str:
        """The class."""
        return self._info()["model"]

    @property
    def parameters(self) -> dict[str, Optional[float]]:
        """Parameters and constants with their values; ``None`` where the start of a run decides them."""
        return {it["name"]: it["value"] for it in self._info()["parameters"]}

    @property
    def structural_parameters(self) -> list[str]:
        """The parameters whose change means to load the model anew, constants apart."""
        return [it["name"] for it in self._info()["parameters"] if it["structural"] and not it["constant"]]

    @property
    def variables(self) -> list[str]:
        """The variables of results."""
        return [it["name"] for it in self._info()["variables"]]

    @property
    def inputs(self) -> list[str]:
        """The inputs from outside."""
        return list(self._info()["inputs"])

    @property
    def outputs(self) -> list[str]:
        """The outputs."""
        return list(self._info()["outputs"])

    @property
    def experiment(self) -> dict[str, Optional[float]]:
        """What ``annotation(experiment(…))`` says."""
        return dict(self._info()["experiment"])

    @property
    def loadings(self) -> int:
        """How often the model was read and flattened for runs."""
        return self._engine.loadings

    def __repr__(self) -> str:
        return f"<modeshift.Model {self.name}>"

    # Runs

    def simulate(
        self,
        parameters: Optional[Mapping[str, Value]] = None,
        *,
        start: Optional[float] = None,
        stop: Optional[float] = None,
        interval: Optional[float] = None,
        tolerance: Optional[float] = None,
        solver: Optional[str] = None,
        scenario: Optional[str] = None,
        impulsive_start: bool = False,
        variables: Union[str, Iterable[str], None] = None,
        inputs: Optional[Mapping[str, Any]] = None,
        progress: Optional[Progress] = None,
        sensitivities: Union[str, Iterable[str], None] = None,
        check: bool = True,
        **others: Value,
    ) -> Result:
        """Runs the model.

        Times, tolerance and interval are by default those of the model's annotation. Parameters are given in ``parameters`` or by
        their names: ``m.simulate(stop=10, j1=3)``. ``inputs`` has for each input a number, a function of time, or a pair of arrays
        of times and values; inputs keep their values from one time to the next, functions are asked at every interval. The start is
        solved with what inputs are then: what an input says at or before it, else its start value. What changes at the stop time
        is the last event.
        ``sensitivities`` are parameters and start values, as ``["p", "x.start"]``: how end values and times of events change with them is
        then in :attr:`Result.sensitivities`.
        ``progress`` is called with time and number of events now and then. A run that fails raises :class:`ModelError`, whose
        ``result`` is what there is; ``check=False`` returns that instead.
        """
        given = parameter_list({**(parameters or {}), **others})
        kept = name_list(variables)
        options = (start, stop, interval, tolerance, solver, scenario, impulsive_start, kept)
        by = name_list(sensitivities)
        if inputs is not None and not isinstance(inputs, Mapping):
            raise TypeError("inputs is a mapping from names of inputs to their signals")
        if inputs and by:
            raise ValueError("sensitivities are those of runs without inputs")
        if inputs:
            result = self._driven(given, options, inputs)
        else:
            result = Result(self._engine.simulate(given, options, progress, by))
        if check and not result.ok:
            error = _engine.ModelError(result.messages.rstrip())
            error.diagnostics = result.diagnostics
            error.result = result
            raise error
        return result

    def _driven(self, given, options, inputs) -> Result:
        experiment = self.experiment
        start = options[0] if options[0] is not None else experiment["start"] or 0.0
        stop = options[1] if options[1] is not None else experiment["stop"]
        stop = start + 1.0 if stop is None else stop
        interval = options[2] or experiment["interval"] or (stop - start) / 500
        count = int(round((stop - start) / interval)) if stop > start else 0
        grid = start + (stop - start) * numpy.arange(count + 1) / max(count, 1)
        changes: dict[float, dict[str, Any]] = {}
        for name, signal in inputs.items():
            for time, value in samples(signal, grid):
                if time <= stop:
                    changes.setdefault(max(time, start), {})[name] = value
        first, last = (
            [(name, value_at(name, value, time)) for name, value in changes.pop(time, {}).items()] for time in (start, stop)
        )
        simulator = Simulator(self._engine.simulator(given, options, True, first, last))
        for time in sorted(changes):
            if simulator.time < time and simulator.step_to(time) not in ("paused", "event"):
                break
            for name, value in changes[time].items():
                simulator.set({name: value_at(name, value, time)})
        else:
            simulator.step_to(stop)
        return simulator.result()

    def simulator(
        self,
        parameters: Optional[Mapping[str, Value]] = None,
        *,
        start: Optional[float] = None,
        stop: Optional[float] = None,
        interval: Optional[float] = None,
        tolerance: Optional[float] = None,
        solver: Optional[str] = None,
        scenario: Optional[str] = None,
        impulsive_start: bool = False,
        inputs: Optional[Mapping[str, float]] = None,
        record: bool = False,
        **others: Value,
    ) -> Simulator:
        """A run that is stepped; with ``record``, its rows and events are kept for :meth:`Simulator.result`.

        The start is solved with ``inputs``, or with the start values of those that are not there; what is set later is a change at the
        present time.
        """
        given = parameter_list({**(parameters or {}), **others})
        options = (start, stop, interval, tolerance, solver, scenario, impulsive_start, None)
        first = [(name, value_at(name, value, start or 0.0)) for name, value in (inputs or {}).items()]
        return Simulator(self._engine.simulator(given, options, record, first))


def name_list(names: Union[str, Iterable[str], None]) -> Optional[str]:
    """Names as the command line takes them; a text is one name.

    >>> name_list(["a", "b"]), name_list("a"), name_list(None)
    ('"a","b"', '"a"', None)
    """
    if names is None:
        return None
    return ",".join(f'"{name}"' for name in ([names] if isinstance(names, str) else names))


def numbers(values: Any) -> numpy.ndarray:
    """Real numbers as an array: nothing imaginary, no texts."""
    array = numpy.asarray(values)
    if array.dtype == object:
        # One by one: numpy makes NaN of None.
        return numpy.array([float(value) for value in array.ravel()]).reshape(array.shape)
    return array.astype(float, casting="same_kind")


def value_at(name: str, value: Any, time: float) -> float:
    """The value of an input that a function may say."""
    if not callable(value):
        return value
    said = value(time)
    try:
        return float(numbers(said))
    except (TypeError, ValueError):
        raise ValueError(f"the input `{name}` at time {time:g}: {said!r} is no number") from None


SIGNALS = "an input is a number, a function of time, or two arrays of the same length: times and values"


def samples(signal: Any, grid: numpy.ndarray):
    """Times with values, or with the function that has the value.

    >>> list(samples(([0, 1], [5, 6]), numpy.array([0.0])))
    [(0.0, 5.0), (1.0, 6.0)]
    """
    if callable(signal):
        return [(float(time), signal) for time in grid]
    if isinstance(signal, (int, float, bool, numpy.number, numpy.bool_)):
        return [(float(grid[0]), float(signal))]
    try:
        if getattr(signal, "ndim", 1) == 0:
            return [(float(grid[0]), float(numbers(signal)))]
        if isinstance(signal, (str, bytes, Mapping)) or len(signal) != 2:
            raise ValueError(SIGNALS)
        times, values = (numbers(part) for part in signal)
    except (TypeError, ValueError):
        raise ValueError(SIGNALS) from None
    if times.shape != values.shape or times.ndim != 1 or times.size == 0:
        raise ValueError(SIGNALS)
    if not (numpy.isfinite(times).all() and numpy.isfinite(values).all()):
        raise ValueError("times and values of an input are finite numbers")
    if (numpy.diff(times) <= 0).any():
        raise ValueError("the times of an input grow from one to the next")
    return list(zip(times.tolist(), values.tolist()))
