model LeakySluice "a sluice is raised at 1: the flow over its weir goes with the power 1.5"
  parameter Real u = 1, tau = 1;
  Real h(start = 1.4*u, fixed = true);
  Real crest;
equation
  crest = if time < tau then 1.5*u else 0.8*u;
  der(h) = 0.1*u/tau - (if h > crest then 0.9*(max(h - crest, 0)/u)^1.5*u/tau else 0);
end LeakySluice;
