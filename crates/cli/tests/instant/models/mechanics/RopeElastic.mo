model RopeElastic "bungee: the rope pulls only when it is stretched"
  parameter Real u = 1, tau = 1;
  Real h(start = 0, fixed = true);
  Real v(start = 0, fixed = true);
  Real f;
equation
  der(h) = v;
  f = if h < -u then -30*(h + u)/tau^2 - 0.5*v/tau else 0;
  der(v) = f - 9.81*u/tau^2;
end RopeElastic;
