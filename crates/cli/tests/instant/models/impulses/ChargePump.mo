model ChargePump "a flying capacitor is put in parallel with the source and with the output in turn"
  parameter Real u = 1, tau = 1;
  Real v(start = 0, fixed = true);
  Real out(start = 0, fixed = true);
  Real i1, i2;
  Boolean charge;
equation
  charge = mod(time, tau) < 0.5*tau;
  tau*der(v) = i1 - i2;
  3*tau*der(out) = i2 - 0.2*out;
  0 = if charge then u - v - 0.1*i1 else i1;
  0 = if charge then i2 else v - out;
end ChargePump;
