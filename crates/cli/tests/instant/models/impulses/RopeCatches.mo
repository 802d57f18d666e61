model RopeCatches "a ball on a slack rope falls, the rope catches it: the speed along the rope is lost"
  parameter Real u = 1, tau = 1;
  Real x(start = 0.6*u, fixed = true), y(start = 0, fixed = true);
  Real vx(start = 0, fixed = true), vy(start = 0, fixed = true);
  Real f;
  Boolean taut(start = false);
equation
  der(x) = vx;
  der(y) = vy;
  der(vx) = -f*x/tau^2;
  der(vy) = -f*y/tau^2 - 5*u/tau^2;
  taut = if pre(taut) then f >= 0 else x^2 + y^2 > u^2;
  0 = if taut then x^2 + y^2 - u^2 else f*u^2;
end RopeCatches;
