// Once went wrong: trust/m21_forgot_der.
model Cool
  parameter Real C = 100, G = 2, Ta = 290;
  Real T(start = 350, fixed = true);
  Real Q;
equation
  C*T = -Q;
  Q = G*(T - Ta);
end Cool;
