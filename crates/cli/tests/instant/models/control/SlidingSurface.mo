model SlidingSurface "sliding mode control of a double integrator: along the surface the state decays"
  parameter Real u = 1, tau = 1;
  Real x(start = u, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = if x + v*tau > 0 then -2*u/tau^2 else 2*u/tau^2;
end SlidingSurface;
