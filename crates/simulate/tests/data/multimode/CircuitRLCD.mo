model CircuitRLCD "LC oscillator with R + ideal diode in parallel (siconos-tutorials CircuitRLCD); reference numeric/CircuitRLCD_exact.json"
  parameter Real L=1e-2, C=1e-6, R=1e3;
  Real v(start=10, fixed=true), i(start=0, fixed=true, nominal=0.01), iD, uD "diode forward voltage, <=0";
  Boolean on(start=true);
equation
  C*der(v) = -i - iD;
  L*der(i) = v;
  v = R*iD + uD;
  0 = if on then uD else iD;
  on = if pre(on) then iD >= 0 else uD > 0;
end CircuitRLCD;
