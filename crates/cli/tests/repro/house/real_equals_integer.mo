// Once went wrong: house/real_equals_integer.
model M
  Integer n;
  Real y;
  Real x(start=0, fixed=true);
equation
  der(x) = y;
  n = if x > 1 then 2 else 1;
  y = n;
  annotation(experiment(StopTime = 3));
end M;
