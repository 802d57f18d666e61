model AntiWindupBack "anti-windup by back calculation"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Real z(start = 0, fixed = true);
  Real w, y, e, goal;
equation
  goal = if time < 4*tau then 2*u else -u;
  e = goal - x;
  w = 2*e + 3*z;
  y = if w > 1.2*u then 1.2*u else if w < -1.2*u then -1.2*u else w;
  der(z) = (e + (y - w))/tau;
  der(x) = (y - 0.3*x)/tau;
end AntiWindupBack;
