// Once went wrong: trust/assert_late.
model A "the assertion fails at time = 5, exactly where p reaches 6"
  Real p(start = 1, fixed = true);
equation
  der(p) = 1;
  assert(p < 6, "too much");
  annotation(experiment(StopTime = 20, Interval = 2));
end A;
