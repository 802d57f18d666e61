// Once went wrong: house/alias_of_constant.
model M
  Integer m;
  Integer n(start = 7);
  Real x(start = 1, fixed = true);
  Real y;
equation
  der(x) = 1;
  m = 5;
  m = n;
  y = n*x;
  annotation(experiment(StopTime = 1));
end M;
