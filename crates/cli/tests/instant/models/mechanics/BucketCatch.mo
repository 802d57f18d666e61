model BucketCatch "a ball falls into a moving bucket on a spring and stays in it"
  parameter Real u = 1, tau = 1;
  Real h(start = 2*u, fixed = true);
  Real v(start = 0, fixed = true);
  Real y(start = 0.3*u, fixed = true);
  Real w(start = 0, fixed = true);
  Real f;
  Boolean caught(start = false, fixed = true);
equation
  der(h) = v;
  der(v) = f - 10*u/tau^2;
  der(y) = w;
  3*der(w) = -60*y/tau^2 - f;
  caught = pre(caught) or h < y;
  0 = if caught then v - w else f;
end BucketCatch;
