model BallStairs "a ball rolls off stairs: the floor is a discrete function of its position"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Real h(start = u, fixed = true);
  Real v(start = 0, fixed = true);
  Real floorHeight;
equation
  der(x) = u/tau;
  der(h) = v;
  der(v) = -9.81*u/tau^2;
  floorHeight = -0.2*u*floor(x/u);
  when h <= floorHeight then
    reinit(v, -0.85*pre(v));
  end when;
end BallStairs;
