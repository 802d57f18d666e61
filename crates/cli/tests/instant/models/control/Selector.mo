model Selector "override control: the smaller of two controllers acts"
  parameter Real u = 1, tau = 1;
  Real level(start = 0.5*u, fixed = true);
  Real temperature(start = 0, fixed = true);
  Real y;
equation
  y = min(2*(u - level), 1.5*(1.2*u - temperature));
  der(level) = (y - 0.5*level*(1 + 0.5*sin(time/tau)))/tau;
  der(temperature) = (y + 0.6*u - 0.5*temperature)/tau;
end Selector;
