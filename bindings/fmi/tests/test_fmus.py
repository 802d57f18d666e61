"""FMUs as importers use them: checked and run by FMPy, beside the command line."""

import csv
import ctypes
import os
import resource
import shutil
import subprocess
from pathlib import Path

import numpy
import pytest

fmpy = pytest.importorskip("fmpy")
from fmpy import fmi2, fmi3  # noqa: E402
from fmpy.validation import validate_fmu  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]

SAMPLED = """
model Sampled "a sampled controller of a motor"
  parameter Real k = 2, period = 0.1;
  input Real reference(start = 1);
  output Real speed(start = 0, fixed = true);
  discrete Real command(start = 0, fixed = true);
equation
  der(speed) = command - speed;
  when sample(0, period) then
    command = k*(reference - speed);
  end when;
  annotation(experiment(StopTime = 2));
end Sampled;
"""

RECTIFIER = """
model Rectifier
  import Modelica.Electrical.Analog.{Basic, Ideal, Sources};
  Sources.SineVoltage source(V = 10, f = 50);
  Ideal.IdealDiode diode(Ron = 1e-5, Goff = 1e-5, Vknee = 0);
  Basic.Resistor load(R = 100);
  Basic.Capacitor store(C = 1e-4, v(start = 0, fixed = true));
  Basic.Ground ground;
equation
  connect(source.p, diode.p);
  connect(diode.n, load.p);
  connect(load.p, store.p);
  connect(load.n, source.n);
  connect(store.n, source.n);
  connect(source.n, ground.p);
  annotation(experiment(StopTime = 0.1));
end Rectifier;
"""

GAIN = """
model Gain
  input Real u(start = 0);
  output Real y;
  parameter Real k = 3;
equation
  y = k*u;
end Gain;
"""

PLANT = """
model Plant
  input Real u(start = 0);
  output Real y(start = 1, fixed = true);
equation
  der(y) = u - y;
end Plant;
"""

TERMINATING = """
model Terminating
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  when x > 0.5 then terminate("enough"); end when;
end Terminating;
"""

FAILING = """
model Failing
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  assert(x < 0.5, "too much");
end Failing;
"""


def boost():
    return (ROOT / "crates/simulate/tests/data/multimode/BoostConverter.mo").read_text()


MODELS = {
    "ClutchBasic": (lambda: (ROOT / "models/ClutchBasic.mo").read_text(), 15),
    "WaterTank": (lambda: (ROOT / "models/WaterTank.mo").read_text(), 5),
    "RLDC2": (lambda: (ROOT / "models/RLDC2.mo").read_text(), 5),
    "BoostConverter": (boost, 2e-3),
    "FaultyCoaxial": (lambda: (ROOT / "models/FaultyCoaxial.mo").read_text(), 1e-4),
    "CupAndBall": (lambda: (ROOT / "models/CupAndBall.mo").read_text(), 2),
    "Rectifier": (lambda: RECTIFIER, 0.1),
    "Sampled": (lambda: SAMPLED, 2),
}


@pytest.fixture(scope="session")
def make(program, tmp_path_factory):
    if "MODESHIFT_FMI_LIBRARY" not in os.environ:
        pytest.skip("MODESHIFT_FMI_LIBRARY does not say where the engine's library is")
    directory = tmp_path_factory.mktemp("fmus")

    def made(text, name, version=3):
        source, output = directory / f"{name}.mo", directory / f"{name}_{version}.fmu"
        if not output.exists():
            source.write_text(text)
            arguments = [program, "fmu", source, "--fmi", str(version), "-o", output]
            done = subprocess.run(arguments, capture_output=True, text=True)
            if done.returncode != 0 and "Modelica" in text and "MODELICAPATH" not in os.environ:
                pytest.skip("MODELICAPATH does not say where the Modelica Standard Library is")
            assert done.returncode == 0, done.stderr
        return output

    return made


def rows(path):
    with open(path) as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("name", MODELS)
def test_fmpy_finds_nothing_wrong_and_values_at_events_are_those_of_the_command_line(
    name, version, make, program, tmp_path
):
    text, stop = MODELS[name]
    fmu = make(text(), name, version)
    assert validate_fmu(fmu) == []
    source = fmu.parent / f"{name}.mo"
    run = subprocess.run(
        [program, "simulate", source, "-o", tmp_path / "r.csv", "--stop", str(stop)], capture_output=True, text=True
    )
    expected = rows(tmp_path / "r.csv") if (tmp_path / "r.csv").exists() else []
    if run.returncode != 0:
        pytest.skip(f"the command line does not run it: {run.stderr[:200]}")
    description = fmpy.read_model_description(fmu)
    names = [v.name for v in description.modelVariables if v.type in ("Real", "Float64") and v.name in expected[0]]
    unzipped = fmpy.extract(fmu)
    # With event mode, right limits at events are read at the events themselves.
    slave = instance(description, unzipped, **({"eventModeUsed": True, "earlyReturnAllowed": True} if version == 3 else {}))
    try:
        initialize(slave, stop)
        if version == 3:
            slave.updateDiscreteStates()
            slave.enterStepMode()
        references = [v.valueReference for name in names for v in description.modelVariables if v.name == name]
        last = {float(row["time"]): row for row in expected}
        times = sorted(last)
        events = {float(a["time"]) for a, b in zip(expected, expected[1:]) if a["time"] == b["time"]}
        # Rows before the next event are told to the tolerance; those right after one that is told earlier or later are not.
        slack = 1e-6 * stop
        present, met = 0.0, 0
        for at, time in enumerate(times):
            is_event = time in events
            if not (is_event or at % 10 == 0 and all(abs(time - event) > slack for event in events)):
                continue
            # A step that ends at an event has led over it: values are right limits. Rounding may end it right before.
            if version == 2 and is_event and present + (time - present) < time:
                continue
            goal = min(time + slack, stop) if is_event and version == 3 else time
            while present < goal:
                outcome = step(slave, present, goal - present)
                present = goal if version == 2 else outcome[3]
                met += version == 2 and is_event
                if version == 3 and outcome[0]:
                    slave.enterEventMode()
                    slave.updateDiscreteStates()
                    slave.enterStepMode()
                    met += 1
                    if is_event and abs(present - time) <= slack:
                        break
            compare(names, get(slave, references), last[time], time)
        assert met >= (len(events) if version == 3 else min(len(events), 1))
    finally:
        slave.freeInstance()
        shutil.rmtree(unzipped, ignore_errors=True)


def compare(names, found, row, time):
    """Values are those of a row to the last bit, however the run is stepped; what does not exist is NaN."""
    for name, value in zip(names, found):
        if row[name] == "":
            assert numpy.isnan(value), (time, name)
        else:
            assert value == float(row[name]), (time, name)


def instance(description, unzipped, **options):
    arguments = dict(
        guid=description.guid,
        modelIdentifier=description.coSimulation.modelIdentifier,
        unzipDirectory=unzipped,
        instanceName="it",
    )
    if description.fmiVersion == "2.0":
        slave = fmi2.FMU2Slave(**arguments)
        slave.instantiate()
    else:
        slave = fmi3.FMU3Slave(**arguments)
        slave.instantiate(**options)
    return slave


def initialize(slave, stop):
    if isinstance(slave, fmi2.FMU2Slave):
        slave.setupExperiment(startTime=0.0, stopTime=stop)
        slave.enterInitializationMode()
    else:
        slave.enterInitializationMode(startTime=0.0, stopTime=stop)
    slave.exitInitializationMode()


def step(slave, time, size):
    return slave.doStep(currentCommunicationPoint=time, communicationStepSize=size)


def get(slave, references):
    return slave.getReal(references) if isinstance(slave, fmi2.FMU2Slave) else slave.getFloat64(references)


def put(slave, references, values):
    slave.setReal(references, values) if isinstance(slave, fmi2.FMU2Slave) else slave.setFloat64(references, values)


def opened(fmu, **options):
    description = fmpy.read_model_description(fmu)
    slave = instance(description, fmpy.extract(fmu), **options)
    return slave, {v.name: v.valueReference for v in description.modelVariables}


@pytest.mark.parametrize("version", [2, 3])
def test_fmpy_simulates(version, make):
    result = fmpy.simulate_fmu(make(SAMPLED, "Sampled", version), stop_time=2, output=["speed", "command"])
    assert result["time"][-1] == pytest.approx(2)
    assert 0.5 < result["speed"][-1] < 0.8


@pytest.mark.parametrize("version", [2, 3])
def test_parameters_reset_and_two_instances_at_once(version, make):
    fmu = make(GAIN, "Gain", version)
    one, number = opened(fmu)
    other, _ = opened(fmu)
    put(one, [number["k"], number["u"]], [5.0, 2.0])
    initialize(one, 1)
    initialize(other, 1)
    put(other, [number["u"]], [2.0])
    assert get(one, [number["y"]])[0] == 10 and get(other, [number["y"]])[0] == 6
    one.reset()
    put(one, [number["u"]], [2.0])
    initialize(one, 1)
    assert get(one, [number["y"]])[0] == 6
    one.freeInstance()
    other.freeInstance()


@pytest.mark.parametrize("version", [2, 3])
def test_a_state_is_kept_serialized_and_restored_in_mid_run(version, make):
    slave, number = opened(make(PLANT, "Plant", version))
    initialize(slave, 10)
    for at in range(10):
        put(slave, [number["u"]], [float(at % 3)])
        step(slave, at * 0.1, 0.1)
    state_name = "FMUstate" if version == 2 else "FMUState"
    state = getattr(slave, f"get{state_name}")()
    data = getattr(slave, f"serialize{state_name}")(state)
    here = get(slave, [number["y"]])
    step(slave, 1.0, 1.0)
    there = get(slave, [number["y"]])
    getattr(slave, f"set{state_name}")(state)
    assert get(slave, [number["y"]]) == here
    getattr(slave, f"free{state_name}")(state)
    name = "deSerializeFMUstate" if version == 2 else "deserializeFMUState"
    again = getattr(slave, name)(data)
    getattr(slave, f"set{state_name}")(again)
    step(slave, 1.0, 1.0)
    assert get(slave, [number["y"]]) == there
    slave.freeInstance()


BEGUN = """
package P
  type Kind = enumeration(slow, fast, off);
  model Begun "what the start follows from"
    input Real u(start = 1);
    input Boolean on(start = false);
    input Integer gear(start = 1);
    parameter Real k = 2;
    parameter Real twice = 2*k;
    parameter Real product = twice*k;
    parameter Kind kind = Kind.slow;
    parameter Real p(fixed = false);
    output Real x;
    output Real y = gear*u*(if kind == Kind.slow then 1 elseif kind == Kind.fast then 10 else 0) + twice;
    discrete output Real kept(start = 0, fixed = true);
  initial equation
    x = u^2;
    p = u + product;
  equation
    der(x) = if on then p - x else -x;
    when initial() then
      kept = u;
    end when;
  end Begun;
end P;
"""


def whole(slave, reference, value=None):
    if isinstance(slave, fmi2.FMU2Slave):
        return slave.getInteger([reference])[0] if value is None else slave.setInteger([reference], [value])
    return slave.getInt64([reference])[0] if value is None else slave.setInt64([reference], [value])


def begin(slave, sets):
    """Values that are set before the initialization, and in it."""
    if isinstance(slave, fmi2.FMU2Slave):
        slave.setupExperiment(startTime=0.0, stopTime=1.0)
    sets[0]()
    slave.enterInitializationMode() if isinstance(slave, fmi2.FMU2Slave) else slave.enterInitializationMode(
        startTime=0.0, stopTime=1.0
    )
    sets[1]()
    slave.exitInitializationMode()


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("inside", [False, True])
def test_inputs_are_known_before_the_start_is_solved(version, inside, make, program, tmp_path):
    slave, number = opened(make(BEGUN, "Begun", version))

    def inputs():
        put(slave, [number["u"]], [3.0])
        slave.setBoolean([number["on"]], [True])
        whole(slave, number["gear"], 4)
        if inside:
            # Whoever looks before changes nothing.
            assert get(slave, [number["x"], number["kept"]]) == [9.0, 3.0]
            put(slave, [number["u"]], [1.5])
            assert get(slave, [number["x"], number["kept"]]) == [2.25, 1.5]
            put(slave, [number["u"]], [3.0])

    begin(slave, [lambda: None, inputs] if inside else [inputs, lambda: None])
    assert get(slave, [number[name] for name in ("x", "kept", "y")]) == [9.0, 3.0, 16.0]
    assert whole(slave, number["events()"]) <= 1, "no event but the first instant"
    step(slave, 0.0, 1.0)
    (tmp_path / "u.csv").write_text("time,u,on,gear\n0,3,true,4\n")
    source = tmp_path / "Begun.mo"
    source.write_text(BEGUN)
    run = [program, "simulate", source, "-m", "P.Begun", "--input", tmp_path / "u.csv", "--stop", "1", "-o", "-"]
    last = list(csv.DictReader(subprocess.run(run, capture_output=True, text=True, check=True).stdout.splitlines()))[-1]
    for name in ("x", "y", "kept"):
        assert get(slave, [number[name]])[0] == pytest.approx(float(last[name]), rel=1e-6)
    # Coming back to a state begins with the inputs that it began with.
    state_name = "FMUstate" if version == 2 else "FMUState"
    state, x = getattr(slave, f"get{state_name}")(), get(slave, [number["x"]])
    slave.reset()
    begin(slave, [lambda: None, lambda: None])
    assert get(slave, [number["x"]]) == [1.0]
    getattr(slave, f"set{state_name}")(state)
    assert get(slave, [number["x"]]) == x
    slave.freeInstance()


@pytest.mark.parametrize("version", [2, 3])
def test_parameters_that_follow_from_others_follow_and_enumerations_are_set(version, make):
    fmu = make(BEGUN, "Begun", version)
    description = fmpy.read_model_description(fmu)
    causality = {v.name: v.causality for v in description.modelVariables}
    assert [causality[name] for name in ("k", "kind")] == ["parameter"] * 2
    assert [causality[name] for name in ("twice", "product")] == ["calculatedParameter"] * 2
    assert validate_fmu(fmu) == []
    slave, number = opened(fmu)
    following = [number["twice"], number["product"]]
    assert get(slave, following) == [4.0, 8.0]
    put(slave, [number["k"]], [5.0])
    assert get(slave, following) == [10.0, 50.0]
    whole(slave, number["kind"], 2)
    for wrong in (lambda: put(slave, following[:1], [1.0]), lambda: whole(slave, number["kind"], 4), lambda: whole(slave, number["kind"], 0)):
        with pytest.raises(fmpy.fmi1.FMICallException):
            wrong()
    begin(slave, [lambda: None, lambda: None])
    assert get(slave, [number["y"]]) == [10.0 + 10.0] and whole(slave, number["kind"]) == 2
    assert get(slave, following) == [10.0, 50.0]
    slave.reset()
    assert get(slave, following) == [4.0, 8.0] and whole(slave, number["kind"]) == 1
    slave.freeInstance()


def test_two_fmus_are_simulated_together(make):
    gain, g = opened(make(GAIN, "Gain"))
    plant, p = opened(make(PLANT, "Plant"))
    put(gain, [g["k"]], [-1.0])
    initialize(gain, 1)
    initialize(plant, 1)
    h, count = 1e-3, 1000
    for at in range(count):
        y = get(plant, [p["y"]])[0]
        put(gain, [g["u"]], [y])
        put(plant, [p["u"]], [get(gain, [g["y"]])[0]])
        step(gain, at * h, h)
        step(plant, at * h, h)
    # y' = -y - y, sampled.
    assert get(plant, [p["y"]])[0] == pytest.approx(numpy.exp(-2), rel=5e-3)
    gain.freeInstance()
    plant.freeInstance()


def test_events_are_returned_to_early_in_event_mode(make):
    fmu = make(boost(), "BoostConverter")
    slave, number = opened(fmu, eventModeUsed=True, earlyReturnAllowed=True)
    initialize(slave, 2e-3)
    time, events = 0.0, []
    slave.updateDiscreteStates()
    slave.enterStepMode()
    while time < 1e-3 and len(events) < 100:
        needed, terminate, early, last = step(slave, time, 1e-3 - time)
        time = last
        if needed:
            events.append(time)
            slave.enterEventMode()
            slave.updateDiscreteStates()
            slave.enterStepMode()
    assert len(events) >= 19 and events[0] == pytest.approx(5e-5, rel=1e-6)
    assert slave.getInt64([number["events()"]])[0] == len(events)
    slave.freeInstance()


def test_derivatives_by_inputs(make):
    slave, number = opened(make(GAIN, "Gain"))
    initialize(slave, 1)
    step(slave, 0.0, 0.5)
    found = slave.getDirectionalDerivative([number["y"]], [number["u"]], [1.0])
    assert list(found)[0] == pytest.approx(3.0, rel=1e-9)
    slave.freeInstance()


@pytest.mark.parametrize("version", [2, 3])
def test_derivatives_are_exact_where_outputs_bend(version, make):
    text = """
    model Bent
      input Real u(start = 2);
      input Real w(start = 0.5);
      output Real y, z;
      Real x(start = 1, fixed = true);
    equation
      der(x) = u - x;
      y + y^3 = u*x + w;
      z = if u > 1 then w*u^2 else w;
    end Bent;"""
    slave, number = opened(make(text, "Bent", version))
    initialize(slave, 1)
    step(slave, 0.0, 0.5)
    x, y = get(slave, [number["x"], number["y"]])
    at = [number["u"], number["w"]]
    found = slave.getDirectionalDerivative([number["y"], number["z"], number["x"]], at, [1.0, 0.5])
    assert list(found) == pytest.approx([(x + 0.5) / (1 + 3 * y * y), 2 * 0.5 * 2 + 0.5 * 4, 0.0], rel=1e-12)
    put(slave, [number["u"]], [0.5])
    assert list(slave.getDirectionalDerivative([number["z"]], at, [1.0, 0.5])) == pytest.approx([0.5], rel=1e-12)
    step(slave, 0.5, 0.5)
    with pytest.raises(fmpy.fmi1.FMICallException):
        slave.getDirectionalDerivative([number["z"]], at, [1.0, 0.5])
    slave.freeInstance()


@pytest.mark.parametrize("version", [2, 3])
def test_asking_for_derivatives_does_not_disturb_a_switched_run(version, make):
    text = """
    model Switched
      input Real u(start = 5);
      output Real p = u^2*i;
      parameter Real period = 1e-2;
      Real i(start = 0, fixed = true);
      Boolean on = time - period*floor(time/period) < 0.4*period;
    equation
      0.1*der(i) = (if on then u else 0) - i;
    end Switched;"""
    ends = []
    for asks in (True, False):
        slave, number = opened(make(text, "Switched", version))
        initialize(slave, 1)
        for at in range(200):
            step(slave, at * 3.7e-3, 3.7e-3)
            if asks:
                found = slave.getDirectionalDerivative([number["p"], number["i"]], [number["u"]], [1.0])
                assert list(found) == pytest.approx([10 * get(slave, [number["i"]])[0], 0.0], rel=1e-12)
        ends.append(list(get(slave, [number["i"], number["p"]])))
        slave.freeInstance()
    assert ends[0] == ends[1]


def test_impulses_are_seen(make):
    text, _ = MODELS["ClutchBasic"]
    slave, number = opened(make(text(), "ClutchBasic"))
    initialize(slave, 15)
    step(slave, 0.0, 6.0)
    assert slave.getInt64([number["events()"]])[0] == 1
    assert abs(get(slave, [number["impulse(f1)"]])[0]) > 0.1
    slave.freeInstance()


def test_a_run_that_fails_and_one_that_the_model_ends(make):
    slave, _ = opened(make(FAILING, "Failing"))
    initialize(slave, 1)
    with pytest.raises(Exception):
        step(slave, 0.0, 1.0)
    slave.reset()
    initialize(slave, 1)
    step(slave, 0.0, 0.25)
    slave.freeInstance()
    slave, _ = opened(make(TERMINATING, "Terminating"))
    initialize(slave, 1)
    _, terminate, _, last = step(slave, 0.0, 1.0)
    assert terminate and last == pytest.approx(0.5)
    slave.freeInstance()


@pytest.mark.parametrize("version", [2, 3])
def test_wrong_calls_are_errors_and_never_a_crash(version, make):
    fmu = make(PLANT, "Plant", version)
    slave, number = opened(fmu)
    wrong = [
        lambda: step(slave, 0.0, 0.1),
        lambda: slave.exitInitializationMode(),
        lambda: get(slave, [12345]),
        lambda: get(slave, [number["y"]]),
        lambda: put(slave, [number["y"]], [1.0]),
    ]
    for call in wrong:
        with pytest.raises(Exception):
            call()
    initialize(slave, 1)
    wrong = [
        lambda: step(slave, 0.5, 0.1),
        lambda: step(slave, 0.0, -1.0),
        lambda: step(slave, 0.0, float("nan")),
        lambda: slave.enterInitializationMode(),
        lambda: put(slave, [number["u"]], [float("nan")]),
        lambda: put(slave, [number["time"]], [1.0]),
    ]
    for call in wrong:
        with pytest.raises(Exception):
            call()
    step(slave, 0.0, 0.1)
    library = slave.dll if hasattr(slave, "dll") else slave._dll
    free = getattr(library, f"fmi{version}FreeInstance")
    free.argtypes = [ctypes.c_void_p]
    reset = getattr(library, f"fmi{version}Reset")
    reset.argtypes, reset.restype = [ctypes.c_void_p], ctypes.c_int
    for handle in (None, 1, 0xDEADBEEF):
        assert reset(handle) == 3
        free(handle)
    slave.freeInstance()


def test_ten_thousand_steps_without_a_leak(make):
    slave, number = opened(make(SAMPLED, "Sampled"))
    initialize(slave, 1e6)

    def go(begin, count):
        for at in range(begin, begin + count):
            step(slave, at * 0.01, 0.01)
            get(slave, [number["speed"]])

    go(0, 2000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    go(2000, 10_000)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert after - before < 4096, f"{after - before} KiB more"
    slave.freeInstance()
