model TwoTanksValve "two tanks, a linear pipe opened at 1 and closed at 3"
  parameter Real u = 1, tau = 1;
  Real h1(start = 2*u, fixed = true);
  Real h2(start = 0.5*u, fixed = true);
  Real q;
  Boolean open;
equation
  open = time >= tau and time < 3*tau;
  q = if open then 0.6*(h1 - h2)/tau else 0;
  der(h1) = -q;
  der(h2) = q - 0.1*h2/tau;
end TwoTanksValve;
