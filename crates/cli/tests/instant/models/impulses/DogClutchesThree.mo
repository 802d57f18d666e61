model DogClutchesThree "three shafts, two clutches engage at the same time, one lets go later"
  parameter Real u = 1, tau = 1;
  Real w[3](start = {4*u/tau, 0, -u/tau}, each fixed = true);
  Real t[2];
  Boolean a, b;
equation
  a = time >= tau;
  b = time >= tau and time < 2*tau;
  der(w[1]) = -t[1] - 0.1*w[1]/tau;
  2*der(w[2]) = t[1] - t[2] + 0.5*u/tau^2;
  3*der(w[3]) = t[2] - 0.4*w[3]/tau;
  0 = if a then w[1] - w[2] else t[1];
  0 = if b then w[2] - w[3] else t[2];
end DogClutchesThree;
