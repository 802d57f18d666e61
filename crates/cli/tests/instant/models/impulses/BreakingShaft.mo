model BreakingShaft "a rigid shaft breaks at its limit of torque; both halves turn on"
  parameter Real u = 1, tau = 1;
  Real w1(start = 0, fixed = true);
  Real w2(start = 0);
  Real t;
  Boolean broken(start = false, fixed = true);
equation
  der(w1) = u*time/tau^3 - t;
  2*der(w2) = t - w2/tau;
  broken = pre(broken) or t > u/tau^2;
  0 = if broken then t else w1 - w2;
end BreakingShaft;
