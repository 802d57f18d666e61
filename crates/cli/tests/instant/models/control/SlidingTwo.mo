model SlidingTwo "two independent surfaces, one after the other; outputs differ on their sides"
  parameter Real u = 1, tau = 1;
  Real x(start = 0.5*u, fixed = true);
  Real z(start = u, fixed = true);
  Real y(start = 0, fixed = true);
  Real a, b;
equation
  a = if x > 0 then -u else u;
  b = if z >= 0 then -u else u;
  tau*der(x) = a;
  tau*der(z) = 0.3*u + b;
  tau*der(y) = a + 2*b;
end SlidingTwo;
