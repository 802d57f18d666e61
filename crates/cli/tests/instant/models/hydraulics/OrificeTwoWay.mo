model OrificeTwoWay "a basin behind an orifice in the tide: turbulent flow both ways"
  parameter Real u = 1, tau = 1;
  Real h(start = 0, fixed = true);
  Real d;
equation
  d = u*sin(0.5*time/tau) + 0.2*u - h;
  der(h) = if d >= 0 then 0.4*sqrt(abs(d)*u + 0.01*u*u)/tau - 0.04*u/tau else 0.04*u/tau - 0.4*sqrt(abs(d)*u + 0.01*u*u)/tau;
end OrificeTwoWay;
