model AtwoodFloor "two masses over a pulley; the heavy one lies down on the floor, the rope slackens, the light one falls back and lifts it"
  parameter Real u = 1, tau = 1;
  Real y1(start = 1*u, fixed = true);
  Real v1(start = 0, fixed = true);
  Real y2(start = 0, fixed = true);
  Real v2(start = 0, fixed = true);
  Real s, n;
  Boolean taut(start = true), floor1(start = false);
equation
  der(y1) = v1;
  der(y2) = v2;
  3*der(v1) = s + n - 30*u/tau^2;
  der(v2) = s - 10*u/tau^2;
  taut = if pre(taut) then s >= 0 else y1 + y2 < u;
  0 = if taut then y1 + y2 - u else s;
  floor1 = if pre(floor1) then n >= 0 else y1 < 0;
  0 = if floor1 then y1 else n;
end AtwoodFloor;
