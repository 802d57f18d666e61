model SpringCoulomb "an oscillator with Coulomb friction: half waves, then rest away from the middle"
  parameter Real u = 1, tau = 1;
  Real x(start = 1.05*u, fixed = true);
  Real v(start = 0, fixed = true);
  Real f;
  Boolean forward(start = false), backward(start = false);
equation
  der(x) = v;
  der(v) = -4*x/tau^2 - f;
  forward = if pre(forward) then v > 0 else f > 0.4*u/tau^2;
  backward = if pre(backward) then v < 0 else f < -0.4*u/tau^2;
  0 = if forward then f - 0.4*u/tau^2 else if backward then f + 0.4*u/tau^2 else v;
end SpringCoulomb;
