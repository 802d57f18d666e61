model BuckDiscontinuousPre "buck converter whose current ends"
  parameter Real u = 24.0, tau = 1e-05;
  Real v1, v2, v3;
  Real iV;
  Real iS;
  Boolean onS;
  Real iD1, uD1;
  Boolean onD1(start = false);
  Real iL(start = 0.0*u, fixed = true);
  Real iC, uC(start = 0.0*u, fixed = true);
  Real iR;
equation
  v1 = 1.0*u;
  onS = mod(time, 1.0*tau) < 0.35*1.0*tau;
  0 = if onS then v1 - v2 else iS;
  uD1 = 0 - v2;
  onD1 = if pre(onD1) then iD1 >= 0 else uD1 > 0;
  0 = if onD1 then uD1 else iD1;
  0.5*tau*der(iL) = v2 - v3;
  uC = v3;
  4.0*tau*der(uC) = iC;
  v3 = 8.0*iR;
  0 = iV + iS;
  0 = -iS - iD1 + iL;
  0 = -iL + iC + iR;
end BuckDiscontinuousPre;
