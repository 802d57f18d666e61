model BreakingShaftRIMIS
  // BreakingShaft with a structure that does not depend on the mode, written by `modeshift rimis`.
  // `x_p` is the derivative of `x`; `x_3` is `x` as block 3 gives it, in the modes of that block. All blocks are
  // evaluated in all modes; under "Multiplexing", the mode says whose value counts.
  // Parameters and constants
  parameter Real J1 = 1;
  parameter Real J2 = 1;
  parameter Real tauMax = 1;
  // Variables
  Real phi1(start = 0, fixed = true);
  Real w1(start = 0, fixed = true);
  Real phi2(start = 0);
  Real w2(start = 0);
  Real tau "torque in the shaft";
  Boolean broken(start = false, fixed = true);
  // Derivatives
  Real phi1_p "phi1'";
  Real w1_p "w1'";
  Real phi2_p "phi2'";
  Real w2_p "w2'";
  // Replicates
  Real phi1_p_1 "phi1' if not broken";
  Real phi1_p_0 "phi1' if broken";
  Real phi1_pp_1 "phi1'' if not broken";
  Real w1_p_1 "w1' if not broken";
  Real w1_p_4 "w1' if broken";
  Real phi2_p_1 "phi2' if not broken";
  Real phi2_p_2 "phi2' if broken";
  Real phi2_pp_1 "phi2'' if not broken";
  Real w2_p_1 "w2' if not broken";
  Real w2_p_5 "w2' if broken";
  Real tau_1 "tau if not broken";
  Real tau_3 "tau if broken";
equation
  // Mode equations
  broken = pre(tau) > tauMax or pre(tau) < -tauMax or pre(broken);
  // Differential equations
  der(phi1) = phi1_p;
  der(phi1_p_1) = phi1_pp_1;
  der(w1) = w1_p;
  der(phi2) = phi2_p;
  der(phi2_p_1) = phi2_pp_1;
  der(w2) = w2_p;
  // Multiplexing
  phi1_p = if broken then phi1_p_0 else phi1_p_1;
  w1_p = if broken then w1_p_4 else w1_p_1;
  phi2_p = if broken then phi2_p_2 else phi2_p_1;
  w2_p = if broken then w2_p_5 else w2_p_1;
  tau = if broken then tau_3 else tau_1;
  // Block broken: w1 -- kin1 -> phi1'
  phi1_p_0 = w1;
  // Block not broken: kin1' inertia1 kin2' inertia2 rigid'' -> phi1'' w1' phi2'' w2' tau
  phi1_pp_1 = w1_p_1;
  J1*w1_p_1 = 2*time - tau_1;
  phi2_pp_1 = w2_p_1;
  J2*w2_p_1 = tau_1;
  phi1_pp_1 = phi2_pp_1;
  // Block broken: w2 -- kin2 -> phi2'
  phi2_p_2 = w2;
  // Block broken: cut -> tau
  tau_3 = 0;
  // Block broken: tau -- inertia1 -> w1'
  J1*w1_p_4 = 2*time - tau_3;
  // Block broken: tau -- inertia2 -> w2'
  J2*w2_p_5 = tau_3;
  annotation (experiment(StopTime = 2));
end BreakingShaftRIMIS;
