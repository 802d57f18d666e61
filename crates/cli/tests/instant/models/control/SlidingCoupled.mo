model SlidingCoupled "two surfaces that act on each other, then their intersection"
  parameter Real u = 1, tau = 1;
  Real x(start = u, fixed = true);
  Real y(start = 0.3*u, fixed = true);
  Real z(start = 0, fixed = true);
  Real a, b;
equation
  a = if x > 0 then u else -u;
  b = if y > 0 then u else -u;
  tau*der(x) = 0.2*u - a - 0.5*b;
  tau*der(y) = -0.1*u + 0.5*a - b;
  tau*der(z) = a;
end SlidingCoupled;
