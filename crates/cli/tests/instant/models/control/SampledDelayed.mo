model SampledDelayed "a sampled controller whose output comes one period later"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  discrete Real y(start = 0, fixed = true), next(start = 0, fixed = true);
equation
  der(x) = (y - 0.5*x)/tau;
  when sample(0, 0.3*tau) then
    y = pre(next);
    next = 0.8*(u - x) + 0.5*u;
  end when;
end SampledDelayed;
