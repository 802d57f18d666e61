model ChargerHalfWave "battery charged through a diode with an inductance"
  parameter Real u = 1.0, tau = 0.001;
  Real v1, v2, v3, v4;
  Real iV;
  Real iD1, uD1;
  Boolean onD1(start = false);
  Real iL(start = 0.0*u, fixed = true);
  Real iR;
  Real iB;
equation
  v1 = 100.0*u*sin(0.3141592653589793/tau*time);
  uD1 = v1 - v2;
  onD1 = if pre(onD1) then iD1 >= 0 else uD1 > 0;
  0 = if onD1 then uD1 else iD1;
  10.0*tau*der(iL) = v2 - v3;
  v3 - v4 = 1.0*iR;
  v4 = 55.0*u;
  0 = iV + iD1;
  0 = -iD1 + iL;
  0 = -iL + iR;
  0 = -iR + iB;
end ChargerHalfWave;
