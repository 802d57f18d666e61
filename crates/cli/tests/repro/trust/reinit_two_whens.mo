// Once went wrong: trust/reinit_two_whens.
model R3 "v in two when-clauses that can fire together"
  Real x(start = 1, fixed = true), y(start = 1, fixed = true), v(start = -1, fixed = true);
  Boolean a, b;
equation
  der(x) = v; der(y) = v; der(v) = 0;
  a = x <= 0; b = y <= 0;
  when a then reinit(v, 1); end when;
  when b then reinit(v, 2); end when;
end R3;
