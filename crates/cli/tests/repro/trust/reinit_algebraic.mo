// Once went wrong: trust/reinit_algebraic.
model R1 "reinit of a variable that is a state in no mode"
  Real x(start = 1, fixed = true), v(start = 0, fixed = true), F;
  Boolean hit;
equation
  der(x) = v; der(v) = F - 9.81; F = if hit then -1000*x - 30*v else 0;
  hit = x < 0;
  when not hit then reinit(F, 0); end when;
end R1;
