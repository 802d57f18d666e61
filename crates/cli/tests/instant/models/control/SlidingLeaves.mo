model SlidingLeaves "slides while both sides point at the surface, leaves when the drift is too strong"
  parameter Real u = 1, tau = 1;
  Real x(start = 0.5*u, fixed = true);
equation
  der(x) = 0.5*u*time/tau^2 + (if x > 0 then -u/tau else u/tau);
end SlidingLeaves;
