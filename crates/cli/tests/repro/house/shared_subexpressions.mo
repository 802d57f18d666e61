// Once went wrong: house/shared_subexpressions.
model M
  Real x(start = 0.001, fixed = true);
  Real y;
  Boolean b;
equation
  b = x > 0.5;
  der(x) = if b then 1 else 2;
algorithm
  y := if b then 1e-9*x else 2e-9*x;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
    y := y*y + y;
  annotation(experiment(StopTime = 1));
end M;
