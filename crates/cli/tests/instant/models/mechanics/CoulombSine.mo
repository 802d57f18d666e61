model CoulombSine "a block with Coulomb friction under a sine force: sticks and slips both ways"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Real v(start = 0, fixed = true);
  Real f;
  Boolean forward(start = false), backward(start = false);
equation
  der(x) = v;
  der(v) = 2*u/tau^2*sin(time/tau) - f;
  forward = if pre(forward) then v > 0 else f > u/tau^2;
  backward = if pre(backward) then v < 0 else f < -u/tau^2;
  0 = if forward then f - u/tau^2 else if backward then f + u/tau^2 else v;
end CoulombSine;
