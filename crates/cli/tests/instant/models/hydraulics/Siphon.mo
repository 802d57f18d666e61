model Siphon "a cup of Tantalus: fills, empties through its siphon, fills again"
  parameter Real u = 1, tau = 1;
  Real h(start = 0, fixed = true);
  Boolean flowing(start = false, fixed = true);
equation
  der(h) = 0.4*u/tau - (if flowing then 1.5*sqrt((h + 0.1*u)*u)/tau else 0);
  flowing = if pre(flowing) then h > 0.1*u else h > u;
end Siphon;
