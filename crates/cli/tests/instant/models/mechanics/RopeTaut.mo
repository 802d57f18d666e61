model RopeTaut "a mass thrown up on an inextensible rope falls into it: plastic jerk, then hangs"
  parameter Real u = 1, tau = 1;
  Real h(start = -0.5*u, fixed = true);
  Real v(start = 3*u/tau, fixed = true);
  Real f;
  Boolean taut(start = false);
equation
  der(h) = v;
  der(v) = f - 9.81*u/tau^2;
  taut = if pre(taut) then f >= 0 else h < -u;
  0 = if taut then h + u else f;
end RopeTaut;
