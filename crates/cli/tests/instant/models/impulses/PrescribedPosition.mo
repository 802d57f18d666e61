model PrescribedPosition "a mass hits a guide that prescribes its position from 1 on: the speed jumps, the position does not"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Real v(start = u/tau, fixed = true);
  Real p(start = 0, fixed = true);
  Real f;
  Boolean guided;
equation
  guided = time >= tau;
  der(x) = v;
  der(v) = f;
  der(p) = f;
  0 = if guided then x - u*(1 + sin(2*(time - tau)/tau)) else f;
end PrescribedPosition;
