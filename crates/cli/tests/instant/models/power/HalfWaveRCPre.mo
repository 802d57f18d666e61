model HalfWaveRCPre "peak rectifier with Ron"
  parameter Real u = 1.0, tau = 0.001;
  Real v1, v2;
  Real iV;
  Real iD1, uD1;
  Boolean onD1(start = false);
  Real iC, uC(start = 0.0*u, fixed = true);
  Real iR;
equation
  v1 = 100.0*u*sin(0.3141592653589793/tau*time);
  uD1 = v1 - v2;
  onD1 = if pre(onD1) then iD1 >= 0 else uD1 > 0;
  0 = if onD1 then uD1 - 1.0*iD1 else iD1;
  uC = v2;
  0.5*tau*der(uC) = iC;
  v2 = 50.0*iR;
  0 = iV + iD1;
  0 = -iD1 + iC + iR;
end HalfWaveRCPre;
