model InductorCut "the current of an inductor is interrupted, and starts again"
  parameter Real u = 1, tau = 1;
  Real i(start = 0, fixed = true);
  Real v, flux(start = 0, fixed = true);
  Boolean open;
equation
  open = time >= tau and time < 1.5*tau;
  2*tau*der(i) = u - 0.3*i - v;
  tau*der(flux) = v;
  0 = if open then i else v;
end InductorCut;
