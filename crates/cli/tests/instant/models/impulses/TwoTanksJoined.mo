model TwoTanksJoined "a wall between two tanks is removed and put back: one level while it is away"
  parameter Real u = 1, tau = 1;
  Real h1(start = 2*u, fixed = true);
  Real h2(start = 0.5*u, fixed = true);
  Real q;
  Boolean joined;
equation
  joined = time >= tau and time < 2*tau;
  tau*der(h1) = 0.2*u - q;
  3*tau*der(h2) = q - 0.4*h2;
  0 = if joined then h1 - h2 else q;
end TwoTanksJoined;
