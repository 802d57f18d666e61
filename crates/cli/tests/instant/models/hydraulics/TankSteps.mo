model TankSteps "a tank whose area grows in steps"
  parameter Real u = 1, tau = 1;
  Real h(start = 0, fixed = true);
  Real area;
equation
  area = if h < 0.5*u then 1 else if h < u then 2 else 4;
  area*der(h) = u*(0.5 + 0.4*cos(time/tau))/tau - 0.2*h/tau;
end TankSteps;
