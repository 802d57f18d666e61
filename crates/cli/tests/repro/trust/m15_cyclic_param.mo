// Once went wrong: trust/m15_cyclic_param.
model Gear
  parameter Real r1 = r2/i;
  parameter Real r2 = i*r1;
  parameter Real i = 3;
  Real w(start = 1, fixed = true);
equation
  der(w) = -r1*w;
end Gear;
