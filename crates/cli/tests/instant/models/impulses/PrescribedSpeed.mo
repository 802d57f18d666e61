model PrescribedSpeed "a mass is given a prescribed speed from 1 on: its momentum comes from an impulse"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Real v(start = u/tau, fixed = true);
  Real p(start = 0, fixed = true);
  Real f;
  Boolean driven;
equation
  driven = time >= tau;
  der(x) = v;
  der(v) = f - 0.5*u/tau^2;
  der(p) = f;
  0 = if driven then v - 2*u/tau*cos(time/tau) else f;
end PrescribedSpeed;
