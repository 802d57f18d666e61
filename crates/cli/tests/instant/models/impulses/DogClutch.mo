model DogClutch "a rigid clutch engages at 1 and disengages at 2.5"
  parameter Real u = 1, tau = 1;
  Real w1(start = 0, fixed = true);
  Real w2(start = u/tau, fixed = true);
  Real t, turned(start = 0, fixed = true);
  Boolean engaged;
equation
  engaged = time >= tau and time < 2.5*tau;
  der(w1) = 2*u/tau^2 - t;
  2*der(w2) = t - 0.5*w2/tau;
  0 = if engaged then w1 - w2 else t;
  der(turned) = w2;
end DogClutch;
