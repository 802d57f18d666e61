model FemtoRelayNominal "relaxation oscillator with concentrations of 1e-15; no nominal values given"
  Real x(start=0,fixed=true,nominal=1e-15), y(start=0,fixed=true,nominal=1e-15); Boolean on(start=true,fixed=true);
equation
  der(x) = (if on then 1e-15 else 0) - x;
  der(y) = 20*(x - y);
  on = if pre(on) then y < 0.7e-15 else y < 0.3e-15;
end FemtoRelayNominal;
