model HalfWaveLC "half wave rectifier, LC filter"
  parameter Real u = 1.0, tau = 0.001;
  Real v1, v2, v3;
  Real iV;
  Real iD1, uD1;
  Boolean onD1(start = false);
  Real iL(start = 0.0*u, fixed = true);
  Real iC, uC(start = 0.0*u, fixed = true);
  Real iR;
  Real sD1;
equation
  v1 = 100.0*u*sin(0.3141592653589793/tau*time);
  uD1 = v1 - v2;
  onD1 = sD1 > 0;
  sD1 = if onD1 then iD1 else uD1;
  0 = if onD1 then uD1 else iD1;
  30.0*tau*der(iL) = v2 - v3;
  uC = v3;
  0.5*tau*der(uC) = iC;
  v3 = 40.0*iR;
  0 = iV + iD1;
  0 = -iD1 + iL;
  0 = -iL + iC + iR;
end HalfWaveLC;
