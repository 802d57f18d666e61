model InductorsSeries "a switch opens between two inductors: one current, the fluxes add"
  parameter Real u = 1, tau = 1;
  Real i1(start = 2*u, fixed = true);
  Real i2(start = 0, fixed = true);
  Real v;
  Boolean open;
equation
  open = time >= tau;
  tau*der(i1) = u - 0.4*i1 - v;
  3*tau*der(i2) = v - 0.2*i2;
  0 = if open then i1 - i2 else v;
end InductorsSeries;
