model ThyristorPair "two antiparallel thyristors, RL load"
  parameter Real u = 1.0, tau = 0.001;
  Real v1, v2, v3;
  Real iV;
  Real iQ, uQ;
  Boolean onQ(start = false, fixed = true);
  Real iP, uP;
  Boolean onP(start = false, fixed = true);
  Real iL(start = 0.0*u, fixed = true);
  Real iR;
equation
  v1 = 100.0*u*sin(0.3141592653589793/tau*time);
  uQ = v1 - v2;
  onQ = if pre(onQ) then iQ >= 0 else mod(time, 20.0*tau) > 5.0*tau and mod(time, 20.0*tau) < 6.0*tau and uQ > 0;
  0 = if onQ then uQ else iQ;
  uP = v2 - v1;
  onP = if pre(onP) then iP >= 0 else mod(time, 20.0*tau) > 15.0*tau and mod(time, 20.0*tau) < 16.0*tau and uP > 0;
  0 = if onP then uP else iP;
  20.0*tau*der(iL) = v2 - v3;
  v3 = 10.0*iR;
  0 = iV + iQ - iP;
  0 = -iQ + iP + iL;
  0 = -iL + iR;
end ThyristorPair;
