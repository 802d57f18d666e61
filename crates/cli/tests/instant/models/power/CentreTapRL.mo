model CentreTapRL "centre tap, RL"
  parameter Real u = 1.0, tau = 0.001;
  Real v1, v9, v2, v3;
  Real iV1;
  Real iV2;
  Real iD1, uD1;
  Boolean onD1(start = false);
  Real iD2, uD2;
  Boolean onD2(start = false);
  Real iL(start = 0.0*u, fixed = true);
  Real iR;
equation
  v1 = 50.0*u*sin(0.3141592653589793/tau*time);
  0 - v9 = 50.0*u*sin(0.3141592653589793/tau*time);
  uD1 = v1 - v2;
  onD1 = if pre(onD1) then iD1 >= 0 else uD1 > 0;
  0 = if onD1 then uD1 else iD1;
  uD2 = v9 - v2;
  onD2 = if pre(onD2) then iD2 >= 0 else uD2 > 0;
  0 = if onD2 then uD2 else iD2;
  30.0*tau*der(iL) = v2 - v3;
  v3 = 5.0*iR;
  0 = iV1 + iD1;
  0 = -iV2 + iD2;
  0 = -iD1 - iD2 + iL;
  0 = -iL + iR;
end CentreTapRL;
