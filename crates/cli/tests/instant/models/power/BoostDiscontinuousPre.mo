model BoostDiscontinuousPre "boost converter whose current ends"
  parameter Real u = 24.0, tau = 1e-05;
  Real v1, v2, v3;
  Real iV;
  Real iL(start = 0.0*u, fixed = true);
  Real iS;
  Boolean onS;
  Real iD1, uD1;
  Boolean onD1(start = false);
  Real iC, uC(start = 0.0*u, fixed = true);
  Real iR;
equation
  v1 = 1.0*u;
  0.5*tau*der(iL) = v1 - v2;
  onS = mod(time, 1.0*tau) < 0.4*1.0*tau;
  0 = if onS then v2 else iS;
  uD1 = v2 - v3;
  onD1 = if pre(onD1) then iD1 >= 0 else uD1 > 0;
  0 = if onD1 then uD1 else iD1;
  uC = v3;
  4.0*tau*der(uC) = iC;
  v3 = 20.0*iR;
  0 = iV + iL;
  0 = -iL + iS + iD1;
  0 = -iD1 + iC + iR;
end BoostDiscontinuousPre;
