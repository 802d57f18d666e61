model StopsElastic "a driven mass between elastic stops"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Real v(start = 0.5*u/tau, fixed = true);
  Real f;
equation
  der(x) = v;
  der(v) = 0.6*u/tau^2*cos(0.8*time/tau) - 0.4*v/tau + f;
  f = if x > 0.5*u then -40*(x - 0.5*u)/tau^2 else if x < -0.5*u then -40*(x + 0.5*u)/tau^2 else 0;
end StopsElastic;
