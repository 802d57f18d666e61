model TanksEqualize "flow as the root of the difference of levels: equal in finite time, and they stay so"
  parameter Real u = 1, tau = 1;
  Real h1(start = 2*u, fixed = true);
  Real h2(start = u, fixed = true);
  Real q;
equation
  q = if h1 >= h2 then 0.5*sqrt(abs(h1 - h2)*u)/tau else -0.5*sqrt(abs(h2 - h1)*u)/tau;
  der(h1) = -q;
  der(h2) = q;
end TanksEqualize;
