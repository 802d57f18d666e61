"""FMUs for model exchange: checked by FMPy, integrated by its solvers, beside the command line."""

import csv
import os
import resource
import subprocess

import numpy
import pytest

fmpy = pytest.importorskip("fmpy")
from fmpy import fmi2, fmi3  # noqa: E402
from fmpy.validation import validate_fmu  # noqa: E402

from test_fmus import RECTIFIER, ROOT, SAMPLED, boost  # noqa: E402

BALL = """
model Ball
  parameter Real e = 0.8;
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
  output Integer n(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h <= 0 then
    reinit(v, -e*pre(v));
    n = pre(n) + 1;
  end when;
end Ball;
"""

RELAY = """
model Relay
  output Real x(start = 0, fixed = true);
  Boolean on(start = true, fixed = true);
equation
  on = if pre(on) then x < 1 else x <= 0.5;
  der(x) = if on then 2 - x else -x;
end Relay;
"""

MOTOR = """
model Motor
  input Real u(start = 1);
  output Real w(start = 0, fixed = true);
  Boolean fast(start = false, fixed = true);
equation
  fast = w > 0.5;
  der(w) = if fast then u - 2*w else u - w;
end Motor;
"""

OTHER_STATES = """
model OtherStates
  Real x(start = 0, fixed = true);
  Boolean p(start = false, fixed = true);
equation
  p = x >= 1;
  0 = if p then x - 2 else der(x) - 1;
end OtherStates;
"""

HALFWAVE = """
model Halfwave
  import Modeshift.Electrical.*;
  SineVoltage source(V = 10, f = 50);
  IdealDiode diode;
  Capacitor C(C = 1e-4, v(start = 0, fixed = true));
  Resistor load(R = 100), wire(R = 0.5);
  Ground ground;
equation
  connect(source.p, wire.p);
  connect(wire.n, diode.p);
  connect(diode.n, load.p);
  connect(load.p, C.p);
  connect(C.n, load.n);
  connect(load.n, source.n);
  connect(source.n, ground.p);
end Halfwave;
"""

BUCK = """
model Buck
  import Modeshift.Electrical.*;
  ConstantVoltage source(V = 12);
  Switch switch(closes = time*1e4 - floor(time*1e4) < 0.4);
  IdealDiode diode;
  Inductor coil(L = 1e-3, i(start = 0));
  Capacitor C(C = 1e-4, v(start = 0, fixed = true));
  Resistor R(R = 10);
  Ground ground;
equation
  connect(source.p, switch.p);
  connect(switch.n, coil.p);
  connect(diode.n, coil.p);
  connect(coil.n, C.p);
  connect(C.p, R.p);
  connect(source.n, ground.p);
  connect(diode.p, ground.p);
  connect(C.n, ground.p);
  connect(R.n, ground.p);
end Buck;
"""


def example(name):
    """A model of the library."""
    return f"model {name} extends Modeshift.Examples.{name}; end {name};"


def of_standard_library(name):
    """An example of the Modelica Standard Library."""
    return f"model {name.split('.')[-1]} extends Modelica.Electrical.{name}; end {name.split('.')[-1]};"


# The text, the stop time, how near values are, and how exactly the solver keeps states. Of the rectifier's diode, with 1e-5 Ohm, 1e-8 V would be
# 1e-3 A in a current that falls by 100 A/s where it ends, and an event 1e-5 s early or late.
MODELS = {
    "Ball": (lambda: BALL, 2.5, 1e-4, 1e-8),
    "Relay": (lambda: RELAY, 6, 1e-4, 1e-8),
    "Sampled": (lambda: SAMPLED, 2, 1e-4, 1e-8),
    "ClutchBasic": (lambda: (ROOT / "models/ClutchBasic.mo").read_text(), 15, 1e-4, 1e-8),
    "RLDC2": (lambda: (ROOT / "models/RLDC2.mo").read_text(), 5, 1e-4, 1e-8),
    "BoostConverter": (boost, 2e-3, 1e-4, 1e-8),
    "Rectifier": (lambda: RECTIFIER, 0.1, 1e-4, 1e-11),
    "Halfwave": (lambda: HALFWAVE, 0.06, 1e-4, 1e-8),
    "Buck": (lambda: BUCK, 2e-3, 1e-4, 1e-8),
    "DiodeCapacitor": (lambda: example("DiodeCapacitor"), 20, 1e-4, 1e-8),
    "BreakingShaft": (lambda: example("BreakingShaft"), 2, 1e-4, 1e-8),
    "DiodeBridge2Pulse": (
        lambda: of_standard_library("PowerConverters.Examples.ACDC.RectifierBridge2Pulse.DiodeBridge2Pulse"), 0.05, 1e-4, 1e-8,
    ),
    "Thyristor1Pulse_R": (
        lambda: of_standard_library("PowerConverters.Examples.ACDC.Rectifier1Pulse.Thyristor1Pulse_R"), 0.05, 1e-4, 1e-8,
    ),
    "IdealTriacCircuit": (lambda: of_standard_library("Analog.Examples.IdealTriacCircuit"), 1, 1e-4, 1e-8),
    "SwitchWithArc": (lambda: of_standard_library("Analog.Examples.SwitchWithArc"), 0.5, 1e-4, 1e-8),
}


@pytest.fixture(scope="session")
def make(program, tmp_path_factory):
    if "MODESHIFT_FMI_LIBRARY" not in os.environ:
        pytest.skip("MODESHIFT_FMI_LIBRARY does not say where the engine's library is")
    directory = tmp_path_factory.mktemp("exchange")

    def made(text, name, version=3, kind="me"):
        source, output = directory / f"{name}.mo", directory / f"{name}_{version}_{kind}.fmu"
        if not output.exists():
            source.write_text(text)
            arguments = [program, "fmu", source, "--fmi", str(version), "--kind", kind, "-o", output]
            done = subprocess.run(arguments, capture_output=True, text=True)
            if done.returncode != 0 and "Modelica" in text and "MODELICAPATH" not in os.environ:
                pytest.skip("MODELICAPATH does not say where the Modelica Standard Library is")
            assert done.returncode == 0, done.stderr
        return output

    return made


def simulated(program, source, stop, path):
    run = [program, "simulate", source, "-o", path, "--stop", str(stop), "--tolerance", "1e-8"]
    done = subprocess.run(run, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with open(path) as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("name", MODELS)
def test_fmpy_finds_nothing_wrong_and_its_solver_comes_to_the_same_values(name, version, make, program, tmp_path):
    text, stop, near, tolerance = MODELS[name]
    fmu = make(text(), name, version)
    assert validate_fmu(str(fmu)) == []
    expected = simulated(program, fmu.parent / f"{name}.mo", stop, tmp_path / "r.csv")
    description = fmpy.read_model_description(str(fmu))
    kinds = ("Real", "Float64")
    names = [v.name for v in description.modelVariables if v.type in kinds and v.name in expected[0] and v.name != "time"]
    found = fmpy.simulate_fmu(
        str(fmu), fmi_type="ModelExchange", stop_time=stop, relative_tolerance=tolerance, output=names + ["events()"],
        record_events=True,
    )
    events = {float(a["time"]) for a, b in zip(expected, expected[1:]) if a["time"] == b["time"]}
    met = [time for time, after in zip(found["time"], found["time"][1:]) if time == after]
    for event in sorted(events):
        assert any(abs(time - event) <= 1e-5 * stop for time in met), (event, met)
    # Values right after events and at the end, where no other event is so near that sides could differ.
    rows = [row for row, after in zip(expected, expected[1:] + [None]) if after is None or float(row["time"]) in events]
    last = {float(row["time"]): row for row in rows}
    for time, row in last.items():
        after = [at for at, other in enumerate(found["time"]) if abs(other - time) <= 1e-5 * stop]
        for variable in names:
            # What does not exist there is no number.
            if row[variable] == "":
                assert any(numpy.isnan(found[variable][at]) for at in after), (time, variable)
                continue
            right = float(row[variable])
            size = max(abs(float(other[variable] or 0)) for other in expected)
            best = min((abs(found[variable][at] - right) for at in after if not numpy.isnan(found[variable][at])), default=numpy.inf)
            assert best <= near * max(size, 1e-9), (time, variable, right)


def test_euler_meets_the_events_too(make):
    found = fmpy.simulate_fmu(str(make(BALL, "Ball")), fmi_type="ModelExchange", stop_time=1.5, solver="Euler",
                              step_size=1e-4, output_interval=1e-4, output=["h", "v", "n"])
    first = (2 / 9.81) ** 0.5
    assert found["n"][-1] == 2 and min(found["h"]) > -1e-3
    at = numpy.argmax(found["n"] > 0)
    assert abs(found["time"][at] - first) < 5e-3


def opened(fmu, version, logger=None):
    description = fmpy.read_model_description(str(fmu))
    arguments = dict(
        guid=description.guid,
        modelIdentifier=description.modelExchange.modelIdentifier,
        unzipDirectory=fmpy.extract(str(fmu)),
        instanceName="it",
    )
    model = fmi2.FMU2Model(**arguments) if version == 2 else fmi3.FMU3Model(**arguments)
    model.instantiate()
    return model, description, {v.name: v.valueReference for v in description.modelVariables}


def initialized(model, version):
    if version == 2:
        model.setupExperiment(startTime=0.0)
        model.enterInitializationMode()
    else:
        model.enterInitializationMode(startTime=0.0)
    model.exitInitializationMode()
    updated(model, version)
    model.enterContinuousTimeMode()


def updated(model, version):
    return model.newDiscreteStates() if version == 2 else model.updateDiscreteStates()


class Hand:
    """Integrates by hand: Euler steps."""

    def __init__(self, model, description, version):
        self.model, self.version, self.time = model, version, 0.0
        self.count = description.numberOfContinuousStates
        self.indicators = description.numberOfEventIndicators
        self.before = self.signs()

    def states(self):
        values = (fmi2.fmi2Real * self.count)() if self.version == 2 else (fmi3.fmi3Float64 * self.count)()
        self.model.getContinuousStates(values, self.count)
        return list(values)

    def slopes(self):
        values = (fmi2.fmi2Real * self.count)()
        get = self.model.getDerivatives if self.version == 2 else self.model.getContinuousStateDerivatives
        get(values, self.count)
        return list(values)

    def signs(self):
        values = (fmi2.fmi2Real * self.indicators)()
        self.model.getEventIndicators(values, self.indicators)
        assert all(value != 0 for value in values)
        return [value > 0 for value in values]

    def step(self, size):
        moved = [value + size * slope for value, slope in zip(self.states(), self.slopes())]
        self.time += size
        self.model.setTime(self.time)
        values = (fmi2.fmi2Real * self.count)(*moved)
        self.model.setContinuousStates(values, self.count)
        self.model.completedIntegratorStep()
        signs = self.signs()
        if signs != self.before:
            self.model.enterEventMode()
            updated(self.model, self.version)
            self.model.enterContinuousTimeMode()
        self.before = self.signs()


def get(model, version, references):
    return model.getReal(references) if version == 2 else model.getFloat64(references)


@pytest.mark.parametrize("version", [2, 3])
def test_two_instances_reset_and_a_state_that_is_come_back_to(version, make):
    fmu = make(BALL, "Ball", version)
    one, description, number = opened(fmu, version)
    other, _, _ = opened(fmu, version)
    initialized(one, version)
    initialized(other, version)
    by_hand = Hand(one, description, version)
    for _ in range(600):
        by_hand.step(1e-3)
    state = one.getFMUState() if version == 3 else one.getFMUstate()
    data = one.serializeFMUState(state) if version == 3 else one.serializeFMUstate(state)
    for _ in range(300):
        by_hand.step(1e-3)
    end = by_hand.states()
    again = other.deserializeFMUState(data) if version == 3 else other.deSerializeFMUstate(data)
    other.setFMUState(again) if version == 3 else other.setFMUstate(again)
    second = Hand(other, description, version)
    second.time = 0.6
    for step in range(300):
        second.step(1e-3)
    assert second.states() == pytest.approx(end, abs=1e-9)
    one.reset()
    initialized(one, version)
    assert Hand(one, description, version).states() == [1.0, 0.0]
    one.terminate()
    one.freeInstance()
    other.freeInstance()


@pytest.mark.parametrize("version", [2, 3])
def test_derivatives_in_a_direction_inputs_and_wrong_calls(version, make):
    fmu = make(MOTOR, "Motor", version)
    model, description, number = opened(fmu, version)
    failed = fmi2.FMICallException if hasattr(fmi2, "FMICallException") else Exception
    with pytest.raises(failed):
        model.enterContinuousTimeMode()
    with pytest.raises(failed):
        model.setTime(1.0)
    initialized(model, version)
    by_hand = Hand(model, description, version)
    (model.setReal if version == 2 else model.setFloat64)([number["u"]], [3.0])
    assert by_hand.slopes() == [3.0]
    derivative = model.getDirectionalDerivative
    assert list(derivative([number["der(w)"]], [number["w"]], [1.0])) == [-1.0]
    assert list(derivative([number["der(w)"]], [number["u"]], [2.0])) == [2.0]
    with pytest.raises(failed):
        values = (fmi2.fmi2Real * 7)()
        model.getContinuousStates(values, 7)
    with pytest.raises(failed):
        values = (fmi2.fmi2Real * 1)(float("nan"))
        model.setContinuousStates(values, 1)
    with pytest.raises(failed):
        model.exitInitializationMode()
    assert by_hand.slopes() == [3.0]
    model.terminate()
    with pytest.raises(failed):
        by_hand.slopes()
    model.freeInstance()


def test_one_fmu_for_both_and_each_refuses_what_it_is_not_for(make):
    both = str(make(BALL, "Ball", 3, "both"))
    assert validate_fmu(both) == []
    for kind in ("ModelExchange", "CoSimulation"):
        found = fmpy.simulate_fmu(both, fmi_type=kind, stop_time=1.5, output=["n"])
        assert found["n"][-1] == 2
    only = fmpy.read_model_description(str(make(BALL, "Ball", 3)))
    assert only.coSimulation is None


def test_ten_thousand_steps_do_not_leak(make):
    fmu = make(RELAY, "Relay", 3)
    model, description, _ = opened(fmu, 3)
    initialized(model, 3)
    by_hand = Hand(model, description, 3)
    for _ in range(2000):
        by_hand.step(1e-3)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(10_000):
        by_hand.step(1e-3)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 4096, (before, after)
    model.freeInstance()


def test_a_model_without_states_in_common_is_refused(program, tmp_path):
    if "MODESHIFT_FMI_LIBRARY" not in os.environ:
        pytest.skip("MODESHIFT_FMI_LIBRARY does not say where the engine's library is")
    source = tmp_path / "OtherStates.mo"
    source.write_text(OTHER_STATES)
    done = subprocess.run([program, "fmu", source, "--kind", "me"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1 and "E0847" in done.stderr and "`x`" in done.stderr, done.stderr
    assert "co-simulation" in done.stderr
