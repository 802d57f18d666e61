model PairPlastic "a cart catches up with another, sticks to it while pushed, is left behind when braked"
  parameter Real u = 1, tau = 1;
  Real x1(start = 0, fixed = true);
  Real x2(start = u, fixed = true);
  Real v1(start = u/tau, fixed = true);
  Real v2(start = 0, fixed = true);
  Real f;
  Boolean touch(start = false);
equation
  der(x1) = v1;
  der(x2) = v2;
  2*der(v1) = 3*u/tau^2*cos(time/tau) - f;
  der(v2) = f;
  touch = if pre(touch) then f >= 0 else x1 > x2;
  0 = if touch then x1 - x2 else f;
end PairPlastic;
