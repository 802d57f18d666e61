"""Analyzes and simulates models whose equations change with the mode.

>>> import modeshift
>>> tank = modeshift.loads('''
... model Tank
...   parameter Real inflow = 1;
...   Real level(start = 0, fixed = true, unit = "m");
...   Boolean full(start = false, fixed = true);
... equation
...   full = level > 1;
...   der(level) = if full then 0 else inflow;
...   annotation(experiment(StopTime = 2));
... end Tank;''')
>>> result = tank.simulate(inflow=2)
>>> bool(abs(result["level"][-1] - 1) < 1e-6)
True
>>> [round(event.time, 6) for event in result.events]
[0.5]

What is wrong with a model or a run is a :class:`ModelError`, whose text is the message as the command line shows it.
"""

from ._engine import ModelError, __version__
from ._models import Linearization, Model, Report, load, loads
from ._results import Event, Impulse, Jump, Result, Sensitivities
from ._simulators import Simulator
from ._sweeps import sweep

__all__ = [
    "Event",
    "Impulse",
    "Jump",
    "Linearization",
    "Model",
    "ModelError",
    "Report",
    "Result",
    "Sensitivities",
    "Simulator",
    "__version__",
    "load",
    "loads",
    "sweep",
]
