model ThermostatsTwo "two rooms share a wall; each has its own thermostat"
  parameter Real u = 1, tau = 1;
  Real a(start = 0, fixed = true);
  Real b(start = 0.2*u, fixed = true);
  Boolean p(start = true, fixed = true), q(start = true, fixed = true);
equation
  der(a) = ((if p then 3*u else 0) - a + 0.5*(b - a))/tau;
  der(b) = ((if q then 2.5*u else 0) - b + 0.5*(a - b))/tau;
  p = if pre(p) then a < 1.2*u else a < u;
  q = if pre(q) then b < 0.9*u else b < 0.7*u;
end ThermostatsTwo;
