model BallToRest "bouncing ball with contact force and law of impact: comes to rest"
  parameter Real u = 1, tau = 1;
  Real h(start = u, fixed = true);
  Real v(start = 0, fixed = true);
  Real f;
  Boolean contact(start = false);
equation
  der(h) = v;
  der(v) = -10*u/tau^2 + f;
  contact = h <= 0;
  0 = if contact then h else f;
  when contact then
    v = -0.6*pre(v);
  end when;
end BallToRest;
