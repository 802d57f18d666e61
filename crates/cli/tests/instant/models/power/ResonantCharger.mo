model ResonantCharger "a capacitor charged once over an inductance: the diode keeps the double voltage"
  parameter Real u = 1.0, tau = 0.001;
  Real v1, v2, v3, v4;
  Real iV;
  Real iS;
  Boolean onS;
  Real iD1, uD1;
  Boolean onD1(start = false);
  Real iL(start = 0.0*u, fixed = true);
  Real iC, uC(start = 0.0*u, fixed = true);
  Real sD1;
equation
  v1 = 100.0*u;
  onS = time >= 2.0*tau;
  0 = if onS then v1 - v2 else iS;
  uD1 = v2 - v3;
  onD1 = sD1 > 0;
  sD1 = if onD1 then iD1 else uD1;
  0 = if onD1 then uD1 else iD1;
  4.0*tau*der(iL) = v3 - v4;
  uC = v4;
  1.0*tau*der(uC) = iC;
  0 = iV + iS;
  0 = -iS + iD1;
  0 = -iD1 + iL;
  0 = -iL + iC;
end ResonantCharger;
