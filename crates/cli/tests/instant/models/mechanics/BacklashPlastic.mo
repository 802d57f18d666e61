model BacklashPlastic "gear with backlash: rigid flanks, plastic impacts"
  parameter Real u = 1, tau = 1;
  Real p1(start = 0, fixed = true);
  Real p2(start = 0, fixed = true);
  Real w1(start = 0, fixed = true);
  Real w2(start = 0, fixed = true);
  Real g, t;
  Boolean up(start = false), down(start = false);
equation
  der(p1) = w1;
  der(p2) = w2;
  2*der(w1) = u/tau^2*sin(time/tau) - t;
  der(w2) = t - 0.3*w2/tau;
  g = p1 - p2;
  up = if pre(up) then t >= 0 else g > 0.1*u;
  down = if pre(down) then t <= 0 else g < -0.1*u;
  0 = if up then g - 0.1*u else if down then g + 0.1*u else t;
end BacklashPlastic;
