// E22 §8.4: the elastic ball on a rope before the impact law was added. The empty `when` declares that the straight rope
// is a transient mode; what the velocities are after the impact, the model does not say.
model CupAndBallElasticWithoutLaw
  constant Real g = 9.81;
  constant Real L = 1.0 "length of the rope";
  Real x(start = 0, fixed = true);
  Real y(start = 0, fixed = true);
  Real u(start = 0, fixed = true);
  Real v(start = 0, fixed = true);
  Real lambda "tension";
  Real s "how far the rope is from being straight";
  Boolean gamma(start = false, fixed = true) "straight";
equation
  /* ex: */ der(x) = u;
  /* ey: */ der(y) = v;
  /* e1: */ der(u) + lambda*x = 0;
  /* e2: */ der(v) + lambda*y + g = 0;
  gamma = (pre(s) <= 0);
  /* k1: */ 0 = if gamma then L^2 - (x^2 + y^2) else lambda;
  /* k4: */ s = L^2 - (x^2 + y^2);
  when gamma then
  end when;
  annotation (experiment(StopTime = 1));
end CupAndBallElasticWithoutLaw;
