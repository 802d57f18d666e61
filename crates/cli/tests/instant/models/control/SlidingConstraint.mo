model SlidingConstraint "on a line, which is a constraint of index 3: friction as a sign of the speed"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true), y;
  Real vx(start = u/tau, fixed = true), vy;
  Real f, w;
equation
  der(x) = vx;
  der(y) = vy;
  w = if vx > 0 then -u/tau^2 else u/tau^2;
  der(vx) = f + w + 0.4*u/tau^2;
  der(vy) = -f;
  x = y;
end SlidingConstraint;
