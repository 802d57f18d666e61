model BuckBoost "buck-boost converter"
  parameter Real u = 24.0, tau = 1e-05;
  Real v1, v2, v3;
  Real iV;
  Real iS;
  Boolean onS;
  Real iL(start = 0.0*u, fixed = true);
  Real iD1, uD1;
  Boolean onD1(start = false);
  Real iC, uC(start = 0.0*u, fixed = true);
  Real iR;
  Real sD1;
equation
  v1 = 1.0*u;
  onS = mod(time, 1.0*tau) < 0.45*1.0*tau;
  0 = if onS then v1 - v2 else iS;
  2.0*tau*der(iL) = v2;
  uD1 = v3 - v2;
  onD1 = sD1 > 0;
  sD1 = if onD1 then iD1 else uD1;
  0 = if onD1 then uD1 else iD1;
  uC = v3;
  5.0*tau*der(uC) = iC;
  v3 = 2.0*iR;
  0 = iV + iS;
  0 = -iS + iL - iD1;
  0 = iD1 + iC + iR;
end BuckBoost;
