"""Runs that are stepped."""

from __future__ import annotations

import ctypes
import json
import math
import os
from typing import Any, Mapping, Optional, Union

from . import _engine
from ._results import Event, Result


class Simulator:
    """A run that is stepped; :meth:`Model.simulator` makes it.

    >>> import modeshift
    >>> m = modeshift.loads('''
    ... model Tank
    ...   input Real inflow(start = 1);
    ...   Real level(start = 0, fixed = true);
    ...   Boolean full(start = false, fixed = true);
    ... equation
    ...   full = level > 1;
    ...   der(level) = if full then 0 else inflow;
    ... end Tank;''')
    >>> s = m.simulator(stop=10)
    >>> s.step_to(0.5)
    'paused'
    >>> here = s.snapshot()
    >>> s.set(inflow=0.25)
    >>> s.next_event(), s.next_event()
    ('event', 'event')
    >>> round(s.time, 6), s["full"]
    (2.5, 1.0)
    >>> s.restore(here)
    >>> s.time, round(s["level"], 6)
    (0.5, 0.5)
    """

    def __init__(self, engine: "_engine.Simulator") -> None:
        self._engine = engine
        # Its thread is in this process. One that is forked from it has the object and no such thread: to wait for it would be for ever.
        self._process = os.getpid()

    def _here(self) -> "_engine.Simulator":
        """The engine, where it can be told something."""
        if os.getpid() != self._process:
            raise RuntimeError("a run stays in its process: take its snapshot before the fork, and restore it in a new simulator")
        return self._engine

    def __del__(self) -> None:
        if os.getpid() != self._process:
            # Its end would be waited for too, so it has none here.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._engine))

    @property
    def time(self) -> float:
        """The present time."""
        return self._engine.time

    @property
    def names(self) -> list[str]:
        """The variables."""
        return self._engine.names()

    @property
    def inputs(self) -> list[str]:
        """The inputs that can be set."""
        return self._engine.inputs()

    @property
    def event(self) -> Optional[Event]:
        """The last event."""
        text = self._engine.event()
        return None if text is None else Event.of(json.loads(text))

    def step_to(self, time: float) -> str:
        """Goes on up to a time, over events: ``"paused"``, or ``"stop"`` or ``"terminated"`` where the run has ended."""
        return self._here().step_to(time)

    def next_event(self, latest: float = math.inf) -> str:
        """Goes on up to the next event, ``"event"``, or to a time, ``"paused"``, or to the end."""
        return self._here().next_event(latest)

    def set(self, values: Union[str, Mapping[str, float], None] = None, value: Optional[float] = None, **others: float) -> None:
        """Sets inputs from the present time on: ``s.set(u=1)``, ``s.set("u", 1)`` or ``s.set({"u": 1})``.

        That is an event at the present time, with all that was set. The next step begins with it; whoever reads a value before sees
        what follows from it.
        """
        if isinstance(values, str):
            if value is None:
                raise TypeError("which value?")
            values = {values: value}
        for name, number in {**(values or {}), **others}.items():
            self._engine.set(name, float(number))

    def get(self, name: str) -> float:
        """The value of a variable, its right limit; NaN where it does not exist."""
        return self._engine.get(name)

    def left(self, name: str) -> float:
        """The left limit of a variable."""
        return self._engine.left(name)

    __getitem__ = get

    def __setitem__(self, name: str, value: float) -> None:
        self.set({name: value})

    def snapshot(self) -> bytes:
        """Where the run is: what it was told so far, which is all that it takes to be there again."""
        return self._engine.snapshot()

    def restore(self, snapshot: bytes) -> None:
        """Comes back to where a run of the same model with the same settings was, by the way it went."""
        self._here().restore(snapshot)

    def reset(self) -> None:
        """Goes back to the start."""
        self._here().reset()

    def terminate(self) -> None:
        """Ends the run here."""
        self._here().terminate()

    def result(self) -> Result:
        """The rows and events so far, of a run with ``record=True``."""
        return Result(self._engine.result())

    def __repr__(self) -> str:
        return f"<modeshift.Simulator at time {self.time:g}>"

    def __reduce__(self) -> Any:
        raise TypeError("a run stays in its process; its snapshot is bytes, which can be sent")
