model SlidingDrift "along the surface another state moves with the average of both sides"
  parameter Real u = 1, tau = 1;
  Real x(start = u, fixed = true);
  Real y(start = 0, fixed = true);
  Boolean p(start = true, fixed = true);
equation
  p = x > 0;
  der(x) = if p then -u/tau else u/tau;
  der(y) = if p then u/tau else 0;
end SlidingDrift;
