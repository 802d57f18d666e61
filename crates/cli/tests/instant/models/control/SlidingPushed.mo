model SlidingPushed "a switch elsewhere ends the sliding: the drift becomes too strong at once"
  parameter Real u = 1, tau = 1;
  Real x(start = u, fixed = true);
equation
  tau*der(x) = (if time < 3*tau then 0.5*u else 1.5*u) + (if x > 0 then -u else u);
end SlidingPushed;
