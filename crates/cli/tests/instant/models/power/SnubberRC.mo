model SnubberRC "a switch with an RC snubber"
  parameter Real u = 24.0, tau = 1e-05;
  Real v1, v2, v3, v4;
  Real iV;
  Real iR;
  Real iL(start = 0.0*u, fixed = true);
  Real iS;
  Boolean onS;
  Real iRs;
  Real iC, uC(start = 0.0*u, fixed = true);
equation
  v1 = 1.0*u;
  v1 - v2 = 1.0*iR;
  2.0*tau*der(iL) = v2 - v3;
  onS = mod(time, 2.0*tau) < 0.6*2.0*tau;
  0 = if onS then v3 else iS;
  v3 - v4 = 0.5*iRs;
  uC = v4;
  0.2*tau*der(uC) = iC;
  0 = iV + iR;
  0 = -iR + iL;
  0 = -iL + iS + iRs;
  0 = -iRs + iC;
end SnubberRC;
