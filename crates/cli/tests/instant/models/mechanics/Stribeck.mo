model Stribeck "friction that falls with speed: self-excited stick-slip"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Real v(start = 0, fixed = true);
  Real f;
  Boolean slip(start = false, fixed = true);
equation
  der(x) = v;
  der(v) = 2*(0.4*u*time/tau - x)/tau^2 - f;
  slip = if pre(slip) then v > 0 else f > 1.5*u/tau^2;
  0 = if slip then f - (0.7 + 0.8*exp(-2*v*tau/u))*u/tau^2 else v;
end Stribeck;
