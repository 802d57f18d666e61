model SlidingRest "a relay without hysteresis: the state rests on the surface"
  parameter Real u = 1, tau = 1;
  Real x(start = u, fixed = true);
equation
  der(x) = if x > 0 then -u/tau else u/tau;
end SlidingRest;
