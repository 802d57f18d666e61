model ThyristorRL "phase control of an RL load"
  parameter Real u = 1.0, tau = 0.001;
  Real v1, v2, v3;
  Real iV;
  Real iQ, uQ;
  Boolean onQ(start = false, fixed = true);
  Real iL(start = 0.0*u, fixed = true);
  Real iR;
equation
  v1 = 100.0*u*sin(0.3141592653589793/tau*time);
  uQ = v1 - v2;
  onQ = if pre(onQ) then iQ >= 0 else mod(time, 20.0*tau) > 3.3*tau and mod(time, 20.0*tau) < 4.3*tau and uQ > 0;
  0 = if onQ then uQ else iQ;
  30.0*tau*der(iL) = v2 - v3;
  v3 = 10.0*iR;
  0 = iV + iQ;
  0 = -iQ + iL;
  0 = -iL + iR;
end ThyristorRL;
