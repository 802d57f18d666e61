model WireCut "a pendulum in Cartesian coordinates whose wire is cut at 0.8"
  parameter Real u = 1, tau = 1;
  Real x(start = 0.8*u, fixed = true), y(start = -0.6*u);
  Real vx(start = 0, fixed = true), vy(start = 0);
  Real f;
  Boolean cut;
equation
  cut = time >= 0.8*tau;
  der(x) = vx;
  der(y) = vy;
  der(vx) = -f*x/tau^2;
  der(vy) = -f*y/tau^2 - 5*u/tau^2;
  0 = if cut then f*u^2 else x^2 + y^2 - u^2;
end WireCut;
