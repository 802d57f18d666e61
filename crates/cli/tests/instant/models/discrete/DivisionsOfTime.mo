model DivisionsOfTime "integer, mod and div make events"
  parameter Real tau = 1;
  Real x(start = 0.3, fixed = true), y(start = 0, fixed = true);
  Integer n, m;
equation
  tau*der(x) = 1;
  n = integer(x);
  m = integer(mod(2*x, 3));
  tau*der(y) = n - 0.5*m;
end DivisionsOfTime;
