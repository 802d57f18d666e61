model PairElastic "two carts of different mass collide elastically between walls"
  parameter Real u = 1, tau = 1;
  parameter Real m1 = 1, m2 = 3;
  Real x1(start = 0.2*u, fixed = true);
  Real x2(start = 0.6*u, fixed = true);
  Real v1(start = u/tau, fixed = true);
  Real v2(start = 0, fixed = true);
equation
  der(x1) = v1;
  der(x2) = v2;
  der(v1) = 0;
  der(v2) = 0;
  when x1 >= x2 then
    reinit(v1, ((m1 - m2)*pre(v1) + 2*m2*pre(v2))/(m1 + m2));
    reinit(v2, ((m2 - m1)*pre(v2) + 2*m1*pre(v1))/(m1 + m2));
  elsewhen x1 <= 0 then
    reinit(v1, -pre(v1));
  elsewhen x2 >= u then
    reinit(v2, -pre(v2));
  end when;
end PairElastic;
