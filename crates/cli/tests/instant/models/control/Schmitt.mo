model Schmitt "a Schmitt trigger on a sum of sines"
  parameter Real u = 1, tau = 1;
  Real s;
  Real y(start = 0, fixed = true);
  Boolean high(start = false, fixed = true);
equation
  s = u*(sin(time/tau) + 0.4*sin(5*time/tau));
  high = if pre(high) then s > -0.5*u else s > 0.5*u;
  der(y) = (if high then u else 0)/tau;
end Schmitt;
