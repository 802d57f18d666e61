model ClampCapacitor "diode clamp: shifts a sine above zero"
  parameter Real u = 1.0, tau = 0.001;
  Real vs, v1, v2;
  Real iV;
  Real iRs;
  Real iC, uC(start = 0.0*u, fixed = true);
  Real iD1, uD1;
  Boolean onD1(start = false);
  Real iR;
equation
  vs = 100.0*u*sin(0.3141592653589793/tau*time);
  vs - v1 = 1.0*iRs;
  uC = v1 - v2;
  0.2*tau*der(uC) = iC;
  uD1 = 0 - v2;
  onD1 = if pre(onD1) then iD1 >= 0 else uD1 > 0;
  0 = if onD1 then uD1 else iD1;
  v2 = 500.0*iR;
  0 = iV + iRs;
  0 = -iRs + iC;
  0 = -iC - iD1 + iR;
end ClampCapacitor;
