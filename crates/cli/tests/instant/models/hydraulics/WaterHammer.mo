model WaterHammer "a valve closes: the column of water in the pipe works against an air vessel whose check valve keeps the peak"
  parameter Real u = 1, tau = 1;
  Real q(start = u, fixed = true);
  Real p(start = 0, fixed = true);
  Real drop;
  Boolean closed, check(start = true);
equation
  closed = time >= tau;
  der(q) = (0.2*u - drop)/tau;
  0.5*der(p) = if check then q/tau else 0;
  drop = if not closed then 0.2*q else p + 0.1*q;
  check = closed and q > 0;
end WaterHammer;
