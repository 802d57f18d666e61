model BallTwoWalls "a puck between two walls, slowed at each impact"
  parameter Real u = 1, tau = 1;
  Real x(start = 0.3*u, fixed = true);
  Real v(start = u/tau, fixed = true);
equation
  der(x) = v;
  der(v) = 0;
  when x >= u then
    reinit(v, -0.9*pre(v));
  end when;
  when x <= 0 then
    reinit(v, -0.8*pre(v));
  end when;
end BallTwoWalls;
