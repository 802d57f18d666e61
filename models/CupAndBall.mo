// E22, Figure 23 and equations (43)-(45): a ball on a rope, inelastic where the rope becomes straight.
// The labels are those of the equations in the text; k1 is also k3 there, and k2 also k4, in the other mode.
model CupAndBall
  constant Real g = 9.81;
  constant Real L = 1.0 "length of the rope";
  Real x(start = 0, fixed = true);
  Real y(start = 0, fixed = true);
  Real u(start = 0, fixed = true);
  Real v(start = 0, fixed = true);
  Real lambda "tension";
  Real s "parameter of the curve of the complementarity condition";
  Boolean gamma(start = false, fixed = true) "straight";
equation
  /* ex: */ der(x) = u;
  /* ey: */ der(y) = v;
  /* e1: */ der(u) + lambda*x = 0;
  /* e2: */ der(v) + lambda*y + g = 0;
  gamma = (s <= 0);
  /* k1: */ 0 = if gamma then L^2 - (x^2 + y^2) else lambda;
  /* k2: */ s = if gamma then -lambda else L^2 - (x^2 + y^2);
  annotation (experiment(StopTime = 1));
end CupAndBall;
