model SaturatedPI "a PI controller with saturation, without anti-windup"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Real z(start = 0, fixed = true);
  Real y, e;
equation
  e = u - x;
  der(z) = e/tau;
  y = max(-0.5*u, min(1.5*u, 2*e + 3*z));
  der(x) = (y - 0.3*x)/tau;
end SaturatedPI;
