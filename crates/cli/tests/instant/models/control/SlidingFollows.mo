model SlidingFollows "a surface that moves with time is followed"
  parameter Real u = 1, tau = 1;
  Real x(start = u, fixed = true);
equation
  tau*der(x) = if x > u*sin(time/tau) then -2*u else 2*u;
end SlidingFollows;
