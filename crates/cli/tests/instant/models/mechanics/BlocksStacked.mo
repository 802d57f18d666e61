model BlocksStacked "a block on a block on a table, Coulomb friction in both contacts"
  parameter Real u = 1, tau = 1;
  Real v1(start = 0, fixed = true);
  Real v2(start = 0, fixed = true);
  Real x2(start = 0, fixed = true);
  Real f1, f2, w;
  Boolean F1(start = false), B1(start = false), F2(start = false), B2(start = false);
equation
  der(x2) = v2;
  2*der(v1) = 7*u/tau^2*sin(time/tau) - f1 - f2;
  der(v2) = f2;
  w = v1 - v2;
  F1 = if pre(F1) then v1 > 0 else f1 > 2.5*u/tau^2;
  B1 = if pre(B1) then v1 < 0 else f1 < -2.5*u/tau^2;
  F2 = if pre(F2) then w > 0 else f2 > 0.9*u/tau^2;
  B2 = if pre(B2) then w < 0 else f2 < -0.9*u/tau^2;
  0 = if F1 then f1 - 2.5*u/tau^2 else if B1 then f1 + 2.5*u/tau^2 else v1;
  0 = if F2 then f2 - 0.9*u/tau^2 else if B2 then f2 + 0.9*u/tau^2 else w;
end BlocksStacked;
