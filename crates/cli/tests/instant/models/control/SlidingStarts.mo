model SlidingStarts "the start is on the surface; a drift of both signs, and the way back onto it"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Real y(start = 0, fixed = true);
  Real w;
equation
  w = if x >= 0 then -u else u;
  tau*der(x) = w + (if time < tau then 0.5*u elseif time < 2*tau then 2*u else -0.5*u);
  tau*der(y) = w;
end SlidingStarts;
