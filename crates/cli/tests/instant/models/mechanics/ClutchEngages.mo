model ClutchEngages "a friction clutch: pressed at 1, sticks when speeds are equal, opened at 5"
  parameter Real u = 1, tau = 1;
  Real w1(start = 3*u/tau, fixed = true);
  Real w2(start = 0, fixed = true);
  Real t, limit;
  Boolean forward(start = true), backward(start = false);
equation
  der(w1) = 0.5*u/tau^2 - 0.2*w1/tau - t;
  2*der(w2) = t - 0.1*w2/tau;
  limit = if time >= tau and time < 5*tau then 2*u/tau^2 else 0;
  forward = if pre(forward) then w1 > w2 else t > limit;
  backward = if pre(backward) then w1 < w2 else t < -limit;
  0 = if forward then t - limit else if backward then t + limit else w1 - w2;
end ClutchEngages;
