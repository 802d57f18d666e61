model SlidingLoop "the sides differ inside an algebraic loop"
  parameter Real u = 1, tau = 1;
  Real x(start = u, fixed = true);
  Real p, q, w;
equation
  tau*der(x) = q;
  w = if x > 0 then -u else u;
  q = w + 0.25*p;
  p = q + 0.4*u;
end SlidingLoop;
