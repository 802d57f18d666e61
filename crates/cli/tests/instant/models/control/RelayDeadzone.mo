model RelayDeadzone "a satellite: thruster with dead zone and hysteresis"
  parameter Real u = 1, tau = 1;
  Real x(start = u, fixed = true);
  Real v(start = 0, fixed = true);
  Real s;
  Boolean plus(start = false, fixed = true), minus(start = false, fixed = true);
equation
  der(x) = v;
  s = x + 0.8*v*tau;
  plus = if pre(plus) then s < -0.1*u else s < -0.2*u;
  minus = if pre(minus) then s > 0.1*u else s > 0.2*u;
  der(v) = (if plus then u else if minus then -u else 0)/tau^2;
end RelayDeadzone;
