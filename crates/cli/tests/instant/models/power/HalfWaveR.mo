model HalfWaveR "half wave rectifier, R"
  parameter Real u = 1.0, tau = 0.001;
  Real v1, v2;
  Real iV;
  Real iD1, uD1;
  Boolean onD1(start = false);
  Real iR;
  Real sD1;
equation
  v1 = 100.0*u*sin(0.3141592653589793/tau*time);
  uD1 = v1 - v2;
  onD1 = sD1 > 0;
  sD1 = if onD1 then iD1 else uD1;
  0 = if onD1 then uD1 else iD1;
  v2 = 10.0*iR;
  0 = iV + iD1;
  0 = -iD1 + iR;
end HalfWaveR;
