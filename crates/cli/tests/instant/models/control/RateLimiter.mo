model RateLimiter "a signal follows a sine with limited rate"
  parameter Real u = 1, tau = 1;
  Real y(start = 0, fixed = true);
  Real d;
equation
  d = 10*(u*sin(time/tau) - y)/tau;
  der(y) = if d > 0.5*u/tau then 0.5*u/tau else if d < -0.5*u/tau then -0.5*u/tau else d;
end RateLimiter;
