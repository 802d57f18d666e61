model AntiWindupClamp "anti-windup that stops the integrator while it would make things worse"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Real z(start = 0, fixed = true);
  Real w, y, e;
  Boolean high;
equation
  e = u - x;
  w = 2*e + 1.5*z;
  high = w > u;
  y = if high then u else w;
  der(z) = if high and e > 0 then 0 else e/tau;
  der(x) = (y - 0.4*x)/tau;
end AntiWindupClamp;
