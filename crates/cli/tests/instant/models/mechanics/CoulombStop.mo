model CoulombStop "a sliding block comes to rest and stays"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Real v(start = 3*u/tau, fixed = true);
  Real f;
  Boolean forward(start = true), backward(start = false);
equation
  der(x) = v;
  der(v) = -f;
  forward = if pre(forward) then v > 0 else f > 2*u/tau^2;
  backward = if pre(backward) then v < 0 else f < -2*u/tau^2;
  0 = if forward then f - 2*u/tau^2 else if backward then f + 2*u/tau^2 else v;
end CoulombStop;
