model DeadbandDamper "an oscillator whose damper works only outside a band"
  parameter Real u = 1, tau = 1;
  Real x(start = 2*u, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -2*x/tau^2 - (if abs(x) > 0.7*u then 0.8*v/tau else 0);
end DeadbandDamper;
