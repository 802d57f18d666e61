model BuckLosses "buck converter with Ron and forward voltage"
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
  Real sD1;
equation
  v1 = 1.0*u;
  onS = mod(time, 1.0*tau) < 0.4*1.0*tau;
  0 = if onS then v1 - v2 - 0.02*iS else iS;
  uD1 = 0 - v2 - 0.04*u;
  onD1 = sD1 > 0;
  sD1 = if onD1 then iD1 else uD1;
  0 = if onD1 then uD1 - 0.03*iD1 else iD1;
  0.5*tau*der(iL) = v2 - v3;
  uC = v3;
  4.0*tau*der(uC) = iC;
  v3 = 3.0*iR;
  0 = iV + iS;
  0 = -iS - iD1 + iL;
  0 = -iL + iC + iR;
end BuckLosses;
