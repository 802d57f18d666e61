model WagonsSlack "three wagons: plastic buffers, one after the other"
  parameter Real u = 1, tau = 1;
  Real x[3](start = {0, 1*u, 1.5*u}, each fixed = true);
  Real v[3](start = {2*u/tau, 0.5*u/tau, 0}, each fixed = true);
  Real f[2];
  Boolean c[2](each start = false);
equation
  der(x[1]) = v[1];
  der(x[2]) = v[2];
  der(x[3]) = v[3];
  der(v[1]) = -f[1];
  2*der(v[2]) = f[1] - f[2];
  der(v[3]) = f[2] - 0.5*v[3]/tau;
  c[1] = if pre(c[1]) then f[1] >= 0 else x[1] > x[2];
  0 = if c[1] then x[1] - x[2] else f[1];
  c[2] = if pre(c[2]) then f[2] >= 0 else x[2] > x[3];
  0 = if c[2] then x[2] - x[3] else f[2];
end WagonsSlack;
