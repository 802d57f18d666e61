// Once went wrong: house/right_side_definition.
model M
  Integer n(start = 7);
  Integer m(start = 9);
  Integer k(start = 1);
  Real x(start = 0, fixed = true);
  Real y;
equation
  der(x) = 1;
  3 + (if x > 2 then 1 else 0) = n;
  m = k;
  k = 5 + n;
  y = n + m;
  annotation(experiment(StopTime = 3));
end M;
