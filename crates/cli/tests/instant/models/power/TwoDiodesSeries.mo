model TwoDiodesSeries "two diodes in series, C filter"
  parameter Real u = 1.0, tau = 0.001;
  Real vs, v1, v2, v3;
  Real iV;
  Real iRs;
  Real iD1, uD1;
  Boolean onD1(start = false);
  Real iD2, uD2;
  Boolean onD2(start = false);
  Real iC, uC(start = 0.0*u, fixed = true);
  Real iR;
equation
  vs = 100.0*u*sin(0.3141592653589793/tau*time);
  vs - v1 = 1.0*iRs;
  uD1 = v1 - v2;
  onD1 = if pre(onD1) then iD1 >= 0 else uD1 > 0;
  0 = if onD1 then uD1 else iD1;
  uD2 = v2 - v3;
  onD2 = if pre(onD2) then iD2 >= 0 else uD2 > 0;
  0 = if onD2 then uD2 else iD2;
  uC = v3;
  0.3*tau*der(uC) = iC;
  v3 = 100.0*iR;
  0 = iV + iRs;
  0 = -iRs + iD1;
  0 = -iD1 + iD2;
  0 = -iD2 + iC + iR;
end TwoDiodesSeries;
