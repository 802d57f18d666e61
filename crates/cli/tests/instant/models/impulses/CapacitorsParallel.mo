model CapacitorsParallel "an ideal switch puts two capacitors in parallel and parts them again"
  parameter Real u = 1, tau = 1;
  Real v1(start = 3*u, fixed = true);
  Real v2(start = 0, fixed = true);
  Real i;
  Boolean closed;
equation
  closed = time >= tau and time < 3*tau;
  tau*der(v1) = -i - 0.1*v1;
  2*tau*der(v2) = i - 0.5*v2;
  0 = if closed then v1 - v2 else i;
end CapacitorsParallel;
