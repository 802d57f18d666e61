model BacklashElastic "gear with backlash: springs on both flanks"
  parameter Real u = 1, tau = 1;
  Real p1(start = 0, fixed = true);
  Real p2(start = 0, fixed = true);
  Real w1(start = 0, fixed = true);
  Real w2(start = 0, fixed = true);
  Real g, t;
equation
  der(p1) = w1;
  der(p2) = w2;
  der(w1) = u/tau^2*sin(time/tau) - t;
  der(w2) = t - 0.3*w2/tau;
  g = p1 - p2;
  t = if g > 0.2*u then 20*(g - 0.2*u)/tau^2 else if g < -0.2*u then 20*(g + 0.2*u)/tau^2 else 0;
end BacklashElastic;
