model SampledPI "a sampled PI controller of a first order plant"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  discrete Real y(start = 0, fixed = true), integral(start = 0, fixed = true);
equation
  der(x) = (y - x)/tau;
  when sample(0, 0.2*tau) then
    integral = pre(integral) + 0.2*(u - x);
    y = 1.5*(u - x) + 2*integral;
  end when;
end SampledPI;
