model BeltStickSlip "a mass on a belt, held by a spring: sticking friction larger than sliding friction"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Real v(start = 0.5*u/tau, fixed = true);
  Real f;
  Boolean stick(start = true, fixed = true);
equation
  der(x) = v;
  der(v) = -x/tau^2 + f;
  stick = if pre(stick) then f <= 1.5*u/tau^2 else v >= 0.5*u/tau;
  0 = if stick then v - 0.5*u/tau else f - 0.8*u/tau^2;
end BeltStickSlip;
