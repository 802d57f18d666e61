// Once went wrong: house/right_side_definition_2.
model M
  Integer k(start = 4);
  Real x(start=0, fixed=true);
  Real y;
equation
  der(x) = 1;
  integer(x) + 1 = k;
  y = k*x;
  annotation(experiment(StopTime = 2));
end M;
