model BrakeHolds "a wheel is braked to rest, held against a torque, and let go"
  parameter Real u = 1, tau = 1;
  Real w(start = 2*u/tau, fixed = true);
  Real phi(start = 0, fixed = true);
  Real t, limit;
  Boolean forward(start = true), backward(start = false);
equation
  der(phi) = w;
  der(w) = -0.5*u/tau^2 - t;
  limit = if time < 3*tau then 1*u/tau^2 else 0.2*u/tau^2;
  forward = if pre(forward) then w > 0 else t > limit;
  backward = if pre(backward) then w < 0 else t < -limit;
  0 = if forward then t - limit else if backward then t + limit else w;
end BrakeHolds;
