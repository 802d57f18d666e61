model NanoRelay "relaxation oscillator with concentrations of 1e-9; no nominal values given"
  Real x(start=0,fixed=true), y(start=0,fixed=true); Boolean on(start=true,fixed=true);
equation
  der(x) = (if on then 1e-9 else 0) - x;
  der(y) = 20*(x - y);
  on = if pre(on) then y < 0.7e-9 else y < 0.3e-9;
end NanoRelay;
