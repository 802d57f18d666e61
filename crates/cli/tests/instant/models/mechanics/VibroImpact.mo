model VibroImpact "a driven oscillator that hits a rigid stop"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -x/tau^2 - 0.2*v/tau + u/tau^2*cos(1.5*time/tau);
  when x >= 0.4*u then
    reinit(v, -0.7*pre(v));
  end when;
end VibroImpact;
