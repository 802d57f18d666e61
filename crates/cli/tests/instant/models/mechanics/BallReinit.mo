model BallReinit "bouncing ball by reinit, stopped before its impacts accumulate"
  parameter Real u = 1, tau = 1;
  Real h(start = u, fixed = true);
  Real v(start = 0, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81*u/tau^2;
  when h <= 0 then
    reinit(v, -0.7*pre(v));
    n = pre(n) + 1;
  end when;
end BallReinit;
