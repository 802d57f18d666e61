"""Sweeps: the same tables, whoever makes the runs."""

import os
import signal
import subprocess

import pytest

import modeshift

BOOST = """
model Boost
  parameter Real Vin = 5, L = 1e-3, C = 1e-4, R = 50, D = 0.5, T = 1e-4;
  Real iL(start = 0, fixed = true), vC(start = 0, fixed = true), vs, is, iD, uD;
  Boolean sw, on(start = false);
equation
  sw = time - T*floor(time/T) < D*T;
  L*der(iL) = Vin - vs;
  C*der(vC) = iD - vC/R;
  iL = is + iD;
  uD = vs - vC;
  0 = if sw then vs else is;
  0 = if on then uD else iD;
  on = if pre(on) then iD >= 0 else uD > 0;
  assert(R > 0, "no such resistor");
end Boost;
"""

PLAN = """
model = "Boost.mo"
design = "random"
samples = {samples}
seed = 3
stop = 5e-4
end = ["vC", "iL"]
[vary]
R = [50, 20, -1, 80, 10, 40]
L = {{ from = 0.5e-3, to = 2e-3, log = true }}
"""

TABLES = ("", "events")


@pytest.fixture
def plan(tmp_path):
    (tmp_path / "Boost.mo").write_text(BOOST)
    path = tmp_path / "plan.toml"
    path.write_text(PLAN.format(samples=60))
    return path


def bytes_of(output):
    return [output.with_suffix(f".{what}{output.suffix}" if what else output.suffix).read_bytes() for what in TABLES]


@pytest.fixture
def expected(plan):
    return bytes_of(modeshift.sweep(plan, plan.with_name("threads.parquet")).output)


def test_one_failed_run_ends_nothing(plan):
    pytest.importorskip("pyarrow")
    done = modeshift.sweep(plan, plan.with_name("r.parquet"))
    frame = done.to_pandas()
    assert len(frame) == done.count == 60
    failed = frame[frame.R == -1]
    assert len(failed) == done.failed > 0
    assert all("no such resistor" in text for text in failed.diagnosis)
    assert (frame[frame.R != -1].status == "stop").all()
    assert set(done.table("events").column("run").to_pylist()) <= set(range(60))


def test_the_command_line_makes_the_same_tables(plan, program, expected):
    output = plan.with_name("program.parquet")
    subprocess.run([program, "sweep", plan, "-o", output, "-j", "2"], capture_output=True)
    assert bytes_of(output) == expected


def test_an_interrupted_sweep_goes_on(plan, expected):
    output = plan.with_name("again.parquet")
    told = []

    def stop(done, count):
        if done >= 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        modeshift.sweep(plan, output, chunk=5, progress=stop)
    told.clear()
    modeshift.sweep(plan, output, chunk=5, progress=lambda done, count: told.append(done))
    assert min(told) > 20 and bytes_of(output) == expected


def test_dask_makes_the_same_tables_also_when_a_worker_is_lost(plan, expected):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            output = plan.with_name("dask.parquet")
            killed = []

            def kill(done, count):
                if not killed:
                    killed.append(True)
                    os.kill(worker_pid(client), signal.SIGKILL)

            modeshift.sweep(plan, output, client=client, chunk=4, progress=kill)
    assert killed and bytes_of(output) == expected


def worker_pid(client):
    return next(iter(client.run(os.getpid).values()))


def test_ray_makes_the_same_tables_also_when_a_worker_is_lost(plan, expected):
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1")
    try:
        pid = ray.get(ray.remote(lambda: os.getpid()).remote())
        output = plan.with_name("ray.parquet")
        killed = []

        def kill(done, count):
            if not killed:
                killed.append(True)
                os.kill(pid, signal.SIGKILL)

        modeshift.sweep(plan, output, client=ray, chunk=4, progress=kill)
    finally:
        ray.shutdown()
    assert killed and bytes_of(output) == expected


def test_a_wrong_plan_is_refused(plan):
    plan.write_text(PLAN.format(samples=3) + "\nq = [1]\n")
    with pytest.raises(modeshift.ModelError, match="q"):
        modeshift.sweep(plan)
    for limit in ("0", "-1", "0.0", "nan", "inf"):
        plan.write_text(f"time_limit = {limit}\n" + PLAN.format(samples=3))
        with pytest.raises(ValueError, match="line 1"):
            modeshift.sweep(plan)
    plan.write_text(PLAN.format(samples=3))
    for wrong in ({"workers": 0}, {"workers": -1}, {"chunk": 0}, {"chunk": -4}):
        with pytest.raises(ValueError, match="from 1 on"):
            modeshift.sweep(plan, **wrong)
    with pytest.raises(TypeError):
        modeshift.sweep(plan, chunk=1.5)
    plan.write_text("stop = 1\nnonsense = 3\n")
    with pytest.raises(ValueError, match="line 2"):
        modeshift.sweep(plan)


def test_a_sweep_does_not_go_on_with_another_version_of_a_library(tmp_path):
    (tmp_path / "P").mkdir()
    (tmp_path / "P" / "package.mo").write_text("package P end P;")
    part = "within P; model Part parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -{}*k*x; end Part;"
    (tmp_path / "P" / "Part.mo").write_text(part.format(1))
    (tmp_path / "M.mo").write_text("model M extends P.Part; end M;")
    plan = tmp_path / "plan.toml"
    plan.write_text('model = "M.mo"\nlibraries = ["."]\nend = ["x"]\n[vary]\nk = { from = 1, to = 2, count = 40 }\n')

    class Stopped(Exception):
        pass

    def stop(done, of):
        if done >= 5:
            raise Stopped

    with pytest.raises(Stopped):
        modeshift.sweep(plan, progress=stop, chunk=1, workers=1)
    (tmp_path / "P" / "Part.mo").write_text(part.format(3))
    with pytest.raises(ValueError, match="has changed since the runs"):
        modeshift.sweep(plan)
    (tmp_path / "P" / "Part.mo").write_text(part.format(1))
    old = modeshift.sweep(plan).output.read_bytes()
    # In the same process, the model of before is not taken for that of now.
    (tmp_path / "P" / "Part.mo").write_text(part.format(3))
    new = modeshift.sweep(plan).output.read_bytes()
    assert new != old
    (tmp_path / "P" / "Part.mo").write_text(part.format(1))
    assert modeshift.sweep(plan).output.read_bytes() == old
