model SlidingCircle "a surface that is curved: the motion goes round on it"
  parameter Real u = 1, tau = 1;
  Real x(start = 2*u, fixed = true);
  Real y(start = 0, fixed = true);
  Real w;
equation
  w = if x^2 + y^2 > u^2 then -1 else 1;
  tau*der(x) = -y + w*x;
  tau*der(y) = x + w*y;
end SlidingCircle;
