// Once went wrong: house/initial_real_equals_integer.
model M
  Integer n(start = 7);
  Real x(start = 2);
  Real y(start=1);
initial equation
  x = n;
equation
  der(x) = 1;
  3 = n;
  y = x;
  annotation(experiment(StopTime = 3));
end M;
