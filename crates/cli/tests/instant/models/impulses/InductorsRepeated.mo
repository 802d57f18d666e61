model InductorsRepeated "two inductors, in series and apart again and again"
  parameter Real u = 1, tau = 1;
  Real i1(start = 0, fixed = true);
  Real i2(start = 0, fixed = true);
  Real v;
  Boolean open;
equation
  open = mod(time, tau) >= 0.5*tau;
  tau*der(i1) = u - 0.4*i1 - v;
  2*tau*der(i2) = v - 0.2*i2;
  0 = if open then i1 - i2 else v;
end InductorsRepeated;
