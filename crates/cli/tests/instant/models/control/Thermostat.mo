model Thermostat "two-point control by pre"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Boolean on(start = true, fixed = true);
equation
  der(x) = ((if on then 2*u else 0) - x)/tau;
  on = if pre(on) then x < 1.1*u else x < 0.9*u;
end Thermostat;
