model ThermostatSensor "two-point control by when, over a sensor with a lag"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Real y(start = 0, fixed = true);
  Boolean on(start = true, fixed = true);
equation
  der(x) = ((if on then 2*u else 0) - x)/tau;
  der(y) = 5*(x - y)/tau;
  when y > 1.1*u then
    on = false;
  elsewhen y < 0.9*u then
    on = true;
  end when;
end ThermostatSensor;
