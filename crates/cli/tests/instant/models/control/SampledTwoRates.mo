model SampledTwoRates "cascade of two controllers with different periods"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Real v(start = 0, fixed = true);
  discrete Real goal(start = 0, fixed = true), force(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = force - 0.2*v/tau;
  when sample(0, 0.5*tau) then
    goal = 0.8*(u - x)/tau;
  end when;
  when sample(0, 0.1*tau) then
    force = 3*(goal - v)/tau;
  end when;
end SampledTwoRates;
