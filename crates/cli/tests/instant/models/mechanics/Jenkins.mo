model Jenkins "a spring in series with dry friction, driven: hysteresis loops"
  parameter Real u = 1, tau = 1;
  Real x, z(start = 0, fixed = true);
  Real f, slip;
  Boolean forward(start = false), backward(start = false);
equation
  x = u*sin(time/tau);
  f = 5*(x - z)/tau^2;
  der(z) = slip;
  forward = if pre(forward) then slip > 0 else f > 2*u/tau^2;
  backward = if pre(backward) then slip < 0 else f < -2*u/tau^2;
  0 = if forward then f - 2*u/tau^2 else if backward then f + 2*u/tau^2 else slip;
end Jenkins;
