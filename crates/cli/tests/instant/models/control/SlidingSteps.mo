model SlidingSteps "a surface that a sampled reference moves: the state goes after it and slides again"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  discrete Real r(start = 0, fixed = true);
equation
  when sample(0, tau) then
    r = pre(r) + 0.5*u;
  end when;
  tau*der(x) = if x > r then -u else u;
end SlidingSteps;
