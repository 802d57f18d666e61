model StateOrFunction "x is a state in one mode and a function of time in the other"
  parameter Real u = 1, tau = 1;
  Real x(start = u, fixed = true);
  Real y(start = 0, fixed = true);
  Boolean free;
equation
  free = mod(time, 2*tau) < tau;
  0 = if free then tau*der(x) + x else x - u*cos(time/tau);
  tau*der(y) = x;
end StateOrFunction;
