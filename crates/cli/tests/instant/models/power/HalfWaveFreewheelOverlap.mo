model HalfWaveFreewheelOverlap "freewheeling diode and source inductance: both conduct for a while"
  parameter Real u = 1.0, tau = 0.001;
  Real vs, v1, v2, v3;
  Real iV;
  Real iLs(start = 0.0*u, fixed = true);
  Real iD1, uD1;
  Boolean onD1(start = false);
  Real iD2, uD2;
  Boolean onD2(start = false);
  Real iL(start = 0.0*u, fixed = true);
  Real iR;
equation
  vs = 100.0*u*sin(0.3141592653589793/tau*time);
  4.0*tau*der(iLs) = vs - v1;
  uD1 = v1 - v2;
  onD1 = if pre(onD1) then iD1 >= 0 else uD1 > 0;
  0 = if onD1 then uD1 else iD1;
  uD2 = 0 - v2;
  onD2 = if pre(onD2) then iD2 >= 0 else uD2 > 0;
  0 = if onD2 then uD2 else iD2;
  40.0*tau*der(iL) = v2 - v3;
  v3 = 5.0*iR;
  0 = iV + iLs;
  0 = -iLs + iD1;
  0 = -iD1 - iD2 + iL;
  0 = -iL + iR;
end HalfWaveFreewheelOverlap;
