// Once went wrong: trust/assert_missed.
model A "violated for 1000 < time < 1001"
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  assert(not (x > 1000 and x < 1001), "forbidden band");
  annotation(experiment(StopTime = 2000, Interval = 2000));
end A;
