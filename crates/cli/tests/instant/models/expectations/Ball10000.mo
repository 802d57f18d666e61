model Ball10000 "bouncing ball, e = 0.9, at rest after 8.58 s; contact force and velocity complementary"
  Real h(start=1,fixed=true), v(start=0,fixed=true), f;
  Boolean contact(start=false);
equation
  der(h) = v;
  der(v) = -9.81 + f;
  contact = h <= 0;
  0 = if contact then h else f;
  when contact then
    v = -0.9*pre(v);
  end when;
end Ball10000;
