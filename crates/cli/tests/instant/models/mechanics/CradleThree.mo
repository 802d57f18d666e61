model CradleThree "three balls of equal mass, the last two touch: the impact runs through in one instant"
  parameter Real u = 1, tau = 1;
  Real x1(start = -u, fixed = true);
  Real x2(start = 0, fixed = true);
  Real x3(start = 0, fixed = true);
  Real v1(start = u/tau, fixed = true);
  Real v2(start = 0, fixed = true);
  Real v3(start = 0, fixed = true);
equation
  der(x1) = v1;
  der(x2) = v2;
  der(x3) = v3;
  der(v1) = 0;
  der(v2) = 0;
  der(v3) = 0;
  when x1 >= x2 and v1 > v2 then
    reinit(v1, pre(v2));
    reinit(v2, pre(v1));
  end when;
  when x2 >= x3 and v2 > v3 then
    reinit(v2, pre(v3));
    reinit(v3, pre(v2));
  end when;
end CradleThree;
