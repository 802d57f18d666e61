model Catapult "a spring plate throws a ball, which leaves it and lands on it again: plastic contact"
  parameter Real u = 1, tau = 1;
  Real y1(start = -u, fixed = true);
  Real v1(start = 0, fixed = true);
  Real y2(start = -u, fixed = true);
  Real v2(start = 0, fixed = true);
  Real f;
  Boolean touch(start = true);
equation
  der(y1) = v1;
  der(y2) = v2;
  2*der(v1) = -50*y1/tau^2 - 20*u/tau^2 - 3*v1/tau - f;
  der(v2) = f - 10*u/tau^2;
  touch = if pre(touch) then f >= 0 else y2 < y1;
  0 = if touch then y2 - y1 else f;
end Catapult;
