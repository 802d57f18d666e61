model OneWayClutch "freewheel: drives in one direction only"
  parameter Real u = 1, tau = 1;
  Real w1(start = 0, fixed = true);
  Real w2(start = 0, fixed = true);
  Real t;
  Boolean locked(start = true);
equation
  der(w1) = 2*u/tau^2*sin(time/tau) - 0.3*w1/tau - t;
  2*der(w2) = t - 0.4*w2/tau;
  locked = if pre(locked) then t >= 0 else w1 > w2;
  0 = if locked then w1 - w2 else t;
end OneWayClutch;
