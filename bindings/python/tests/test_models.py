"""Models, runs and steps, as users ask for them."""

import csv
import doctest
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest

import modeshift

CLUTCH = """
model Clutch
  parameter Real j1 = 1, j2 = 2;
  Real w1(start = 1, fixed = true), w2(start = 3, fixed = true), f1, f2;
  Boolean g(start = false, fixed = true);
equation
  g = time >= 1;
  j1*der(w1) = f1;
  j2*der(w2) = f2;
  if g then w1 = w2; f1 + f2 = 0; else f1 = 0; f2 = 0; end if;
  annotation(experiment(StopTime = 2));
end Clutch;
"""

FOLLOWER = """
model Follower
  input Real u(start = 2);
  Real x(start = 0, fixed = true);
equation
  der(x) = u - x;
end Follower;
"""

LONG = """
model Long
  Real x(start = 0, fixed = true), y(start = 1, fixed = true);
equation
  der(x) = y;
  der(y) = (1 - x*x)*y - x;
end Long;
"""


def all_models():
    from conftest import ROOT

    return sorted((ROOT / "models").glob("*.m*"))


@pytest.mark.parametrize("path", all_models(), ids=lambda path: path.name)
def test_results_are_those_of_the_command_line_to_the_last_bit(path, program, tmp_path):
    model = modeshift.load(path)
    # Lines are over within nanoseconds; a second of them would be a million times what they are meant for.
    stop = min(1, model.experiment["stop"] or 1)
    run = subprocess.run(
        [program, "simulate", path, "-o", tmp_path / "r.csv", "--stop", str(stop)], capture_output=True, text=True
    )
    try:
        result = model.simulate(stop=stop)
    except modeshift.ModelError as error:
        assert run.returncode == 1
        assert not error.diagnostics == []
        result = getattr(error, "result", None)
    if result is None:
        assert not (tmp_path / "r.csv").exists()
    else:
        assert result.to_csv() == (tmp_path / "r.csv").read_text()


def test_an_event_has_its_jumps_and_impulses():
    result = modeshift.loads(CLUTCH).simulate()
    (event,) = result.events
    assert event.time == 1 and event.after == {"g": True}
    assert result["w1"][-1] == pytest.approx(7 / 3)
    weights = {impulse.variable: impulse.weight for impulse in result.impulses}
    assert weights["f1"] == pytest.approx(4 / 3) and weights["f2"] == pytest.approx(-4 / 3)
    assert result.modes["g"].tolist() == (result.time > 1).tolist() or result.modes["g"][-1]
    assert len(result.time) == len(result["w1"])


def test_questions_have_answers_as_text_data_and_picture():
    model = modeshift.loads(CLUTCH)
    assert model.check().ok
    report = model.analyze(at="g=true")
    assert report.verdict == "regular" and report.svg.startswith("<svg") and "<pre>" in report._repr_html_()
    assert any(change["verdict"] == "determined" for change in model.changes().data["changes"])
    assert model.init().data["scenarios"]
    assert "model Clutch" in model.rimis()
    assert model.flatten().data["equations"]


def test_what_is_wrong_is_an_exception_with_the_rendered_message():
    with pytest.raises(modeshift.ModelError) as caught:
        modeshift.loads("model M Real x; equation x = y; end M;").simulate()
    assert "error[" in str(caught.value) and "y" in str(caught.value)
    assert caught.value.diagnostics[0]["severity"] == "error"
    with pytest.raises(modeshift.ModelError):
        modeshift.loads("model M").analyze()


def test_a_failed_run_leaves_what_there_is():
    text = "model M Real x(start = 0, fixed = true); equation der(x) = 1; assert(x < 0.5, \"too much\"); end M;"
    with pytest.raises(modeshift.ModelError, match="too much") as caught:
        modeshift.loads(text).simulate(stop=1)
    assert 0.4 < caught.value.result.time[-1] < 0.6
    assert not modeshift.loads(text).simulate(stop=1, check=False).ok


def test_parameters_are_changed_without_loading():
    model = modeshift.loads(CLUTCH)
    for j1 in (1, 2, 3.5):
        end = model.simulate(j1=j1)["w1"][-1]
        assert end == pytest.approx((j1 * 1 + 2 * 3) / (j1 + 2))
    assert model.loadings == 1
    anew = modeshift.loads(CLUTCH, parameters={"j1": 3.5}).simulate()
    assert anew.to_csv() == model.simulate(j1=3.5).to_csv()


def test_inputs_are_numbers_functions_or_arrays():
    model = modeshift.loads(FOLLOWER)
    constant = model.simulate(stop=1, inputs={"u": 3})["x"][-1]
    assert constant == pytest.approx(3 * (1 - numpy.exp(-1)), rel=1e-4)
    arrays = model.simulate(stop=1, inputs={"u": ([0.0, 0.5], [3.0, 0.0])})["x"][-1]
    assert arrays == pytest.approx(3 * (1 - numpy.exp(-0.5)) * numpy.exp(-0.5), rel=1e-4)
    function = model.simulate(stop=1, interval=0.001, inputs={"u": lambda t: t})["x"][-1]
    assert function == pytest.approx(numpy.exp(-1), rel=1e-2)


BEGUN = """
model Begun
  input Real u(start = 1);
  input Boolean on(start = false);
  parameter Real p(fixed = false);
  output Real x, y = 2*u;
  discrete output Real kept(start = 0, fixed = true);
initial equation
  x = u^2;
  p = 3*u;
equation
  der(x) = if on then p - x else u - x;
  when initial() then
    kept = u;
  end when;
end Begun;
"""


def rows_of(program, tmp_path, table, stop):
    (tmp_path / "Begun.mo").write_text(BEGUN)
    (tmp_path / "u.csv").write_text(table)
    run = [program, "simulate", tmp_path / "Begun.mo", "--input", tmp_path / "u.csv", "--stop", str(stop), "-o", "-"]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    return list(csv.DictReader(done.stdout.splitlines()))


@pytest.mark.parametrize("u, on", [(3, True), (0.5, False), (-1.25, True)])
def test_inputs_are_known_before_the_start_is_solved_as_on_the_command_line(u, on, program, tmp_path):
    table = f"time,u,on\n0,{u},{str(on).lower()}\n"
    expected = rows_of(program, tmp_path, table, 1)
    model = modeshift.loads(BEGUN)
    signals = [{"u": u, "on": on}, {"u": lambda time: u, "on": ([-1, 0], [not on, on])}]
    for inputs in signals:
        found = model.simulate(stop=1, inputs=inputs)
        for name in ("x", "y", "kept", "u", "on"):
            assert found[name][0] == float(expected[0][name]), name
            assert found[name][-1] == pytest.approx(float(expected[-1][name]), rel=1e-6), name
        assert found.parameters["p"] == 3 * u
    s = model.simulator(stop=1, inputs={"u": u, "on": on}, record=True)
    assert s["x"] == u * u and s["kept"] == u
    s.step_to(1)
    assert s["x"] == pytest.approx(float(expected[-1]["x"]), rel=1e-6)
    s.reset()
    assert s["x"] == u * u


def test_what_changes_at_the_stop_time_is_the_last_event_as_on_the_command_line(program, tmp_path):
    expected = rows_of(program, tmp_path, "time,u,on\n0,2,false\n1,2,false\n1,5,true\n", 1)[-1]
    steps = [0.0, 1.0]
    for inputs in ({"u": (steps, [2, 5]), "on": (steps, [0, 1])}, {"u": lambda t: 2 if t < 1 else 5, "on": (steps, [0, 1])}):
        result = modeshift.loads(BEGUN).simulate(stop=1, inputs=inputs)
        assert {name: result[name][-1] for name in ("u", "y", "on")} == {"u": 5, "y": 10, "on": 1}
        assert all(result[name][-1] == pytest.approx(float(expected[name]), rel=1e-6) for name in ("x", "y", "u", "on"))
        assert result.time[-1] == result.time[-2] == 1 and result["u"][-2] == 2


def test_whoever_reads_after_an_input_was_set_sees_what_follows():
    ends = []
    for looks in (False, True):
        s = modeshift.loads(BEGUN).simulator(stop=2)
        s.step_to(1)
        x, p = s["x"], 1
        s.set(u=4, on=True)
        if looks:
            assert (s["y"], s["x"], s.left("y"), s.left("u")) == (8, x, 2, 1)
            assert s.event.time == 1 and "u = 4" in s.event.cause
        assert s["u"] == 4
        assert s.next_event() == "event" and s.time == 1
        s.step_to(1.5)
        ends.append((s["x"], s["y"]))
    assert ends[0] == ends[1]


PART = "within P; model Part parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -{}*k*x; end Part;"


def test_a_model_is_of_one_version_of_its_files(tmp_path):
    (tmp_path / "P").mkdir()
    (tmp_path / "P" / "package.mo").write_text("package P end P;")
    (tmp_path / "P" / "Part.mo").write_text(PART.format(1))
    (tmp_path / "M.mo").write_text("model M parameter Integer n = 1; P.Part part[n]; end M;")
    old = modeshift.load(tmp_path / "M.mo", libraries=[tmp_path])
    first = old.simulate()["part[1].x"][-1]
    (tmp_path / "P" / "Part.mo").write_text(PART.format(7))
    new = modeshift.load(tmp_path / "M.mo", libraries=[tmp_path])
    assert new.simulate()["part[1].x"][-1] != first
    # Loading for another structure, other threads and other questions are about what was read.
    assert old.simulate(n=2)["part[2].x"][-1] == first
    assert old.linearize().A.tolist() == [[-1]] and new.linearize().A.tolist() == [[-7]]
    # A file that nothing was read from yet would be of another version than the others.
    late = modeshift.load(tmp_path / "M.mo", libraries=[tmp_path])
    (tmp_path / "M.mo").write_text("model M parameter Integer n = 1; P.Part part[n]; Real y = 1; end M;")
    with pytest.raises(modeshift.ModelError, match="load the model again"):
        late.simulate()


def test_what_is_no_number_is_no_parameter_and_no_input():
    plant = modeshift.loads(
        "model P parameter Real k = 1; input Real u(start = 0); Real x(start = 1, fixed = true); equation der(x) = k*u - x; end P;"
    )
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="no value of a parameter"):
            plant.simulate(k=value)
    wrong = [
        (([0, 1], [1, float("nan")]), "finite"),
        (([0, float("nan")], [1, 1]), "finite"),
        (([1, 0], [1, 2]), "grow"),
        (([0, 0], [1, 2]), "grow"),
        (([], []), "an input is"),
        (numpy.zeros((3, 3)), "an input is"),
        ("0 1", "an input is"),
        (b"01", "an input is"),
        ({0: 1, 1: 2}, "an input is"),
        (numpy.array(3 + 1j), "an input is"),
        (([0, 1], [1j, 2]), "an input is"),
        (([0, 1], ["a", "b"]), "an input is"),
        (([0, 1], [1, None]), "an input is"),
        (([0, 1], [1, 2, 3]), "an input is"),
        (None, "an input is"),
    ]
    for signal, said in wrong:
        with pytest.raises(ValueError, match=said):
            plant.simulate(inputs={"u": signal})


def test_a_run_is_stepped_and_comes_back():
    s = modeshift.loads(FOLLOWER).simulator(stop=10, record=True)
    s.step_to(1)
    here, x = s.snapshot(), s["x"]
    s["u"] = 5
    s.step_to(2)
    s.restore(here)
    assert (s.time, s["x"]) == (1.0, x)
    other = modeshift.loads(FOLLOWER).simulator(stop=10)
    other.restore(here)
    assert other["x"] == x
    with pytest.raises(ValueError, match="no snapshot"):
        other.restore(b"nothing")
    s.restore(here)
    s.restore(here)
    with pytest.raises(ValueError, match="another model"):
        modeshift.loads(FOLLOWER.replace("u - x", "u - 2*x")).simulator(stop=10).restore(here)
    with pytest.raises(ValueError, match="another start, stop"):
        modeshift.loads(FOLLOWER).simulator(stop=20).restore(here)
    clutch = modeshift.loads(CLUTCH)
    with pytest.raises(ValueError, match="other parameters|another model"):
        clutch.simulator(j1=3).restore(clutch.simulator().snapshot())
    with pytest.raises(ValueError, match="no input"):
        s.set("v", 1)
    with pytest.raises(KeyError):
        s["v"]
    assert s.step_to(20) == "stop" and len(s.result().time) > 2
    with pytest.raises(TypeError):
        pickle.dumps(s)


FORKED = """
import modeshift, os, signal, sys
s = modeshift.loads(sys.argv[1]).simulator(stop=10)
s.step_to(1)
pid = os.fork()
if pid == 0:
    signal.alarm(30)
    try:
        s.step_to(2)
    except RuntimeError as error:
        del s
        os._exit(7 if "snapshot" in str(error) else 1)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), s.step_to(2))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_process_that_was_forked_is_told_that_the_run_is_elsewhere():
    done = subprocess.run([sys.executable, "-c", FORKED, FOLLOWER], capture_output=True, text=True, timeout=60)
    assert done.stdout == "7 paused\n", done


def test_names_and_inputs_that_are_no_lists():
    model = modeshift.loads(FOLLOWER)
    assert model.simulate(stop=1, variables="x").names == ["x"]
    one = model.simulate(stop=1, inputs={"u": 3})["x"][-1]
    assert model.simulate(stop=1, inputs={"u": numpy.array(3.0)})["x"][-1] == one
    strided = numpy.array([0.0, 9, 0.5, 9])[::2]
    strided.flags.writeable = False
    bytes_ = numpy.array([1, 2], dtype=numpy.int8)
    assert numpy.isfinite(model.simulate(stop=1, inputs={"u": (strided, bytes_)})["x"]).all()
    with pytest.raises(TypeError, match="mapping"):
        model.simulate(inputs=[("u", 1)])
    for said in (None, "a", 1j, numpy.zeros(2)):
        with pytest.raises(ValueError, match="`u` at time 0"):
            model.simulate(inputs={"u": lambda time: said})
    with pytest.raises(ZeroDivisionError):
        model.simulate(inputs={"u": lambda time: 1 / 0})


def test_threads_run_in_parallel_and_agree():
    model = modeshift.loads(CLUTCH)
    expected = [model.simulate(j1=j1).to_csv() for j1 in range(1, 5)]
    found = [None] * 4

    def run(at):
        found[at] = model.simulate(j1=at + 1).to_csv()

    threads = [threading.Thread(target=run, args=(at,)) for at in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert found == expected


def test_python_goes_on_while_a_run_goes_on():
    model = modeshift.loads(LONG)
    counted = []
    running = threading.Event()

    def count():
        while not running.is_set():
            counted.append(1)
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    model.simulate(stop=300, tolerance=1e-10)
    running.set()
    thread.join()
    assert len(counted) > 5


def test_ctrl_c_ends_a_run():
    # Who starts tests in the background starts them deaf to Ctrl-C.
    program = "import modeshift, signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    program += f"m = modeshift.loads('''{LONG}''')\n"
    program += "print('go', flush=True)\nm.simulate(stop=1e9, interval=1e6, tolerance=1e-12)\n"
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "go\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in said


def test_progress_is_told():
    told = []
    modeshift.loads(LONG).simulate(stop=2000, tolerance=1e-11, progress=lambda t, events: told.append(t))
    assert told == sorted(told)


def test_results_as_frames_and_pictures(tmp_path):
    result = modeshift.loads(CLUTCH).simulate()
    pandas = pytest.importorskip("pandas")
    frame = result.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and frame.index.name == "time" and "w1" in frame
    assert result.plot("w*").svg.startswith("<svg") and result._repr_html_().startswith("<svg")
    result.plot("w*").save(tmp_path / "r.png")
    assert (tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")
    result.plot("w*").save(str(tmp_path / "r.SVG"))
    assert (tmp_path / "r.SVG").read_text() == result.plot("w*").svg
    with pytest.raises(ValueError, match=r"\.svg or \.png"):
        result.plot().save(tmp_path / "r.pdf")
    assert not (tmp_path / "r.pdf").exists()
    assert pickle.loads(pickle.dumps(result.plot("w*"))) == result.plot("w*")
    result.save(tmp_path / "r.csv")
    assert (tmp_path / "r.csv").read_text() == result.to_csv()
    with pytest.raises(ValueError):
        result.save(tmp_path / "r.txt")
    parquet = pytest.importorskip("pyarrow.parquet")
    result.save(tmp_path / "r.parquet")
    table = parquet.read_table(tmp_path / "r.parquet")
    assert table.column("w1").to_pylist() == result["w1"].tolist()
    assert table.column("g").to_pylist() == result.modes["g"].tolist()
    assert table.schema.metadata[b"unit:time"] == b"s"


def test_examples_in_the_documentation_are_true():
    from modeshift import _models, _results, _simulators

    for module in (modeshift, _models, _results, _simulators):
        failed, _ = doctest.testmod(module, extraglobs={"loads": modeshift.loads})
        assert failed == 0, module.__name__


def test_the_pages_of_the_documentation_are_true():
    from conftest import ROOT

    failed, count = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False)
    assert count > 15 and failed == 0


def test_the_example_of_the_readme_runs(tmp_path, monkeypatch):
    from conftest import ROOT

    text = (ROOT / "README.md").read_text()
    (tmp_path / "models").symlink_to(ROOT / "models")
    monkeypatch.chdir(tmp_path)
    exec(text.split("```python\n")[1].split("```")[0], {})
    assert (tmp_path / "clutch.svg").read_text().startswith("<svg")


def test_each_mode_of_a_clutch_is_linearized_with_its_own_states():
    model = modeshift.loads(CLUTCH)
    apart, joined = model.linearize(time=0.5, outputs=["f1"]), model.linearize(time=1.5, outputs=["f1"])
    assert apart.states == ["w1", "w2"] and apart.A.tolist() == [[0, 0], [0, 0]] and apart.B.shape == (2, 0)
    assert len(joined.states) == 1 and joined.A.tolist() == [[0]] and joined.mode == {"g": True}
    with pytest.raises(modeshift.ModelError, match="no continuous variable `f3`"):
        model.linearize(outputs=["f3"])


def test_a_linear_system_has_its_matrices_at_a_time_and_at_other_states():
    text = """
    model Bent
      input Real u(start = 2);
      output Real y;
      Real x(start = 1, fixed = true), v(start = 0, fixed = true);
    equation
      der(x) = v;
      der(v) = u - x^3 - 0.5*v;
      y = x*v + 3*u;
    end Bent;"""
    model = modeshift.loads(text)
    run = model.simulate(stop=1, tolerance=1e-10)
    x, v = run["x"][-1], run["v"][-1]
    found = model.linearize(time=1, tolerance=1e-10)
    assert (found.states, found.inputs, found.outputs) == (["x", "v"], ["u"], ["y"])
    for matrix, expected in (
        (found.A, [[0, 1], [-3 * x**2, -0.5]]),
        (found.B, [[0], [1]]),
        (found.C, [[v, x]]),
        (found.D, [[3]]),
    ):
        numpy.testing.assert_allclose(matrix, expected, rtol=1e-7, atol=1e-12)
    elsewhere = model.linearize(time=1, state={"x": 2, "v": -1})
    numpy.testing.assert_allclose(elsewhere.A, [[0, 1], [-12, -0.5]], rtol=1e-12)
    numpy.testing.assert_allclose(elsewhere.C, [[-1, 2]], rtol=1e-12)


def test_end_values_and_times_of_events_have_derivatives():
    text = """
    model Glass "the time that sand runs for"
      parameter Real rate = 2;
      Real sand(start = 3, fixed = true), y(start = 0, fixed = true);
      Boolean empty = sand <= 0;
    equation
      der(sand) = -rate;
      der(y) = if empty then 0 else 1;
    end Glass;"""
    found = modeshift.loads(text).simulate(stop=2, sensitivities=["rate", "sand.start"]).sensitivities
    assert found.by == ["rate", "sand.start"]
    numpy.testing.assert_allclose(found.event_times, [[-3 / 4, 1 / 2]], rtol=1e-8)
    numpy.testing.assert_allclose(found.end["y"], [-3 / 4, 1 / 2], rtol=1e-8)
    clutch = modeshift.loads(CLUTCH)
    found = clutch.simulate(sensitivities=["j1", "j2", "w1.start"]).sensitivities
    numpy.testing.assert_allclose(found.end["w1"], [-4 / 9, 2 / 9, 1 / 3], rtol=1e-8)
    numpy.testing.assert_allclose(found.event_times, [[0, 0, 0]], atol=1e-12)
    counted = modeshift.loads(CLUTCH.replace("equation", """Integer n(start = 0, fixed = true);
      equation when {sample(0, 0.5), terminal()} then n = pre(n) + 1; end when;""", 1)).simulate(sensitivities=["j1"])
    assert counted.sensitivities.causes == [event.cause for event in counted.events]
    assert len(counted.sensitivities.event_times) == len(counted.events) >= 5
    assert clutch.simulate().sensitivities is None
    with pytest.raises(modeshift.ModelError, match="j3"):
        clutch.simulate(sensitivities=["j3"])
    with pytest.raises(ValueError, match="without inputs"):
        modeshift.loads(FOLLOWER).simulate(stop=1, inputs={"u": 1}, sensitivities=["x.start"])
