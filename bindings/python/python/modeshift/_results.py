"""What a run leaves."""

from __future__ import annotations

import functools
import json
import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Callable, Iterator, Optional

import numpy

from . import _engine


@dataclass(frozen=True)
class Jump:
    """A variable whose left and right limits differ; ``None`` where it does not exist."""

    variable: str
    left: Optional[float]
    right: Optional[float]


@dataclass(frozen=True)
class Impulse:
    """A variable that is impulsive: order 1 is a Dirac impulse, whose weight is its area."""

    variable: str
    order: str
    weight: Optional[float]
    time: float


@dataclass(frozen=True)
class Event:
    """An event: from which mode to which, why, what jumped and what was impulsive."""

    time: float
    before: dict[str, bool]
    after: dict[str, bool]
    cause: list[str]
    cascade: list[str]
    jumps: list[Jump]
    impulses: list[Impulse]
    sliding: list[str] = field(default_factory=list)
    undetermined: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def of(cls, data: dict[str, Any]) -> "Event":
        time = data["time"]
        return cls(
            time=time,
            before=data["from"],
            after=data["to"],
            cause=data["cause"],
            cascade=data["cascade"],
            jumps=[Jump(**jump) for jump in data["jumps"]],
            impulses=[Impulse(**impulse, time=time) for impulse in data["impulses"]],
            sliding=data.get("sliding", []),
            undetermined=data.get("undetermined", []),
        )


@dataclass(frozen=True)
class Sensitivities:
    """How end values and times of events change with parameters and start values.

    ``end["x"]`` has the derivatives of ``x`` at the end, in the order of ``by``; row ``i`` of ``event_times`` those of the time of event ``i``.
    """

    by: list[str]
    end: dict[str, numpy.ndarray]
    event_times: numpy.ndarray
    causes: list[list[str]]

    @classmethod
    def of(cls, data: dict[str, Any]) -> "Sensitivities":
        by, events = data["by"], data["events"]
        return cls(
            by=by,
            end={it["variable"]: numpy.array(it["derivatives"], dtype=float) for it in data["end"]},
            event_times=numpy.array([it["derivatives"] for it in events], dtype=float).reshape(len(events), len(by)),
            causes=[it["cause"] for it in events],
        )


class Result:
    """The rows and events of a run.

    ``result["w1"]`` is a numpy array, as long as ``result.time``; at an event there are two rows with the same time. A variable that
    does not exist in a mode is NaN there.

    >>> import modeshift
    >>> m = modeshift.loads("model M Real x(start = 1, fixed = true); equation der(x) = -x; end M;")
    >>> r = m.simulate(stop=1, interval=0.5)
    >>> r.time.tolist()
    [0.0, 0.5, 1.0]
    >>> r.names
    ['x']
    >>> r.summary["end"]
    'stop'
    >>> s = m.simulate(stop=1, tolerance=1e-10, sensitivities=["x.start"]).sensitivities
    >>> round(float(s.end["x"][0]), 6)
    0.367879
    """

    def __init__(self, raw: "_engine.RawResult") -> None:
        self._raw = raw
        self.messages: str = raw.messages
        self.diagnostics: list[dict[str, Any]] = json.loads(raw.diagnostics)
        self.summary: dict[str, Any] = json.loads(raw.summary)
        self._columns: dict[str, dict[str, Any]] = {it["name"]: it for it in json.loads(raw.columns())}
        self._arrays: dict[str, numpy.ndarray] = {}

    @property
    def ok(self) -> bool:
        """Whether the run came to its end."""
        return not self._raw.has_errors and self.summary.get("ok", True)

    @cached_property
    def time(self) -> numpy.ndarray:
        """The times of the rows."""
        return numpy.frombuffer(self._raw.time(), dtype=numpy.float64)

    @property
    def names(self) -> list[str]:
        """The variables."""
        return list(self._columns)

    @property
    def units(self) -> dict[str, Optional[str]]:
        """The units of variables."""
        return {name: column["unit"] for name, column in self._columns.items()}

    @cached_property
    def parameters(self) -> dict[str, float]:
        """Parameters and constants with their values in this run."""
        return json.loads(self._raw.constants())

    @cached_property
    def modes(self) -> dict[str, numpy.ndarray]:
        """The mode variables, as Booleans; where one does not exist, false."""
        modes = [name for name, column in self._columns.items() if column["kind"] == "mode"]
        return {name: self[name] == 1.0 for name in modes}

    @cached_property
    def sensitivities(self) -> Optional[Sensitivities]:
        """How end values and times of events change, where that was asked for."""
        found = self.summary.get("sensitivities")
        return None if found is None else Sensitivities.of(found)

    @cached_property
    def events(self) -> list[Event]:
        """The events."""
        return [Event.of(event) for event in json.loads(self._raw.events())]

    @property
    def impulses(self) -> list[Impulse]:
        """The impulses of all events."""
        return [impulse for event in self.events for impulse in event.impulses]

    def __getitem__(self, name: str) -> numpy.ndarray:
        if name not in self._arrays:
            self._arrays[name] = numpy.frombuffer(self._raw.column(name), dtype=numpy.float64)
        return self._arrays[name]

    def __contains__(self, name: str) -> bool:
        return name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def to_pandas(self) -> Any:
        """The rows as a data frame with the times as index."""
        import pandas

        return pandas.DataFrame({name: self[name] for name in self}, index=pandas.Index(self.time, name="time"))

    def to_xarray(self) -> Any:
        """The rows as a dataset along ``time``, with units."""
        import xarray

        def attributes(column: dict[str, Any]) -> dict[str, str]:
            known = {"units": column["unit"], "long_name": column["description"]}
            return {key: value for key, value in known.items() if value is not None}

        columns = {name: ("time", self[name], attributes(self._columns[name])) for name in self}
        return xarray.Dataset(columns, coords={"time": self.time})

    def plot(self, *variables: str) -> "Picture":
        """A picture of some variables (``*`` stands for any text), or of states and outputs that vary."""
        return Picture(self._raw.svg(list(variables)), lambda: self._raw.png(list(variables)))

    def save(self, path: Any) -> None:
        """Writes a result file, as the command line would: ``.csv``, ``.mat``, ``.parquet`` or ``.arrow``."""
        self._raw.save(path)

    def to_csv(self) -> str:
        """The rows as CSV, as the command line writes them."""
        return self._raw.csv()

    def __repr__(self) -> str:
        end = self.time[-1] if len(self.time) else float("nan")
        return f"<modeshift.Result: {len(self)} variables, {len(self.time)} rows up to {end:g}, {len(self.events)} events>"

    def _repr_html_(self) -> str:
        return self.plot().svg


@dataclass(frozen=True)
class Picture:
    """A picture, shown in notebooks; ``svg`` is its text."""

    svg: str
    _png: Callable[[], bytes] = field(repr=False, compare=False)

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: Any) -> None:
        """Writes it: ``.svg`` or ``.png``."""
        ending = os.path.splitext(os.fspath(path))[1].lower()
        if ending not in (".svg", ".png"):
            raise ValueError(f"{os.fspath(path)}: pictures are written as .svg or .png")
        data = self._png() if ending == ".png" else self.svg.encode()
        with open(path, "wb") as file:
            file.write(data)

    def __reduce__(self) -> Any:
        return Picture, (self.svg, functools.partial(bytes, self._png()))

    def __repr__(self) -> str:
        return f"<modeshift.Picture of {len(self.svg)} bytes>"
