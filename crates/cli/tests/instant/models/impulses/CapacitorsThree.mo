model CapacitorsThree "three capacitors, put in parallel one after the other"
  parameter Real u = 1, tau = 1;
  Real v[3](start = {u, -2*u, 4*u}, each fixed = true);
  Real i[2];
  Boolean closed[2];
equation
  closed[1] = time >= tau;
  closed[2] = time >= 2*tau;
  tau*der(v[1]) = -i[1];
  2*tau*der(v[2]) = i[1] - i[2] - 0.3*v[2];
  3*tau*der(v[3]) = i[2];
  0 = if closed[1] then v[1] - v[2] else i[1];
  0 = if closed[2] then v[2] - v[3] else i[2];
end CapacitorsThree;
