model ContactUnilateral "a ball on a spring and damper that can only push"
  parameter Real u = 1, tau = 1;
  Real h(start = u, fixed = true);
  Real v(start = 0, fixed = true);
  Real f;
equation
  der(h) = v;
  f = if h < 0 then max(-400*h/tau^2 - 5*v/tau, 0) else 0;
  der(v) = f - 10*u/tau^2;
end ContactUnilateral;
