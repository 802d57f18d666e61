model PositionJumps "index 3, and the prescribed position is elsewhere: position and speed jump, the force has a Dirac of second order"
  parameter Real u = 1, tau = 1;
  Real x(start = u, fixed = true);
  Real v(start = 0.5*u/tau, fixed = true);
  Real p(start = 0, fixed = true);
  Real q(start = 0, fixed = true);
  Real f;
  Boolean held;
equation
  held = time >= tau;
  der(x) = v;
  der(v) = f;
  der(p) = f;
  der(q) = p;
  0 = if held then x - u*time/tau else f;
end PositionJumps;
