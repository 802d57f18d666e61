model HalfWaveRC "peak rectifier, C right behind the diode"
  parameter Real u = 1.0, tau = 0.001;
  Real v1, v2;
  Real iV;
  Real iD1, uD1;
  Boolean onD1(start = false);
  Real iC, uC(start = 0.0*u, fixed = true);
  Real iR;
  Real sD1;
equation
  v1 = 100.0*u*sin(0.3141592653589793/tau*time);
  uD1 = v1 - v2;
  onD1 = sD1 > 0;
  sD1 = if onD1 then iD1 else uD1;
  0 = if onD1 then uD1 else iD1;
  uC = v2;
  0.3*tau*der(uC) = iC;
  v2 = 100.0*iR;
  0 = iV + iD1;
  0 = -iD1 + iC + iR;
end HalfWaveRC;
