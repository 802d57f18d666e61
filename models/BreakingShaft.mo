// MOE15 §5.4, Figure 10: two inertias on a rigid shaft that breaks where its torque becomes too large.
// Written with an if-equation; the drive and the values are our own.
model BreakingShaft
  parameter Real J1 = 1;
  parameter Real J2 = 1;
  parameter Real tauMax = 1;
  Real phi1(start = 0, fixed = true);
  Real w1(start = 0, fixed = true);
  Real phi2(start = 0);
  Real w2(start = 0);
  Real tau "torque in the shaft";
  Boolean broken(start = false, fixed = true);
equation
  broken = (pre(tau) > tauMax) or (pre(tau) < -tauMax) or pre(broken);
  /* kin1: */ der(phi1) = w1;
  /* inertia1: */ J1*der(w1) = 2*time - tau;
  /* kin2: */ der(phi2) = w2;
  /* inertia2: */ J2*der(w2) = tau;
  if broken then
    /* cut: */ tau = 0;
  else
    /* rigid: */ phi1 = phi2;
  end if;
  annotation (experiment(StopTime = 2));
end BreakingShaft;
