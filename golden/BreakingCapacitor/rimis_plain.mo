model BreakingCapacitorRIMIS
  // BreakingCapacitor with a structure that does not depend on the mode, written by `modeshift rimis`.
  // `x_p` is the derivative of `x`; `x_3` is `x` as block 3 gives it, in the modes of that block. All blocks are
  // evaluated in all modes; under "Multiplexing", the mode says whose value counts.
  // Parameters and constants
  parameter Real V = 10;
  parameter Real R1 = 1;
  parameter Real R2 = 100;
  parameter Real C1 = 0.001;
  parameter Real C2 = 0.001;
  parameter Real Vmax = 8;
  // Variables
  Real i "current through R2";
  Real i1 "current through C1 or R1";
  Real i2 "current through C2";
  Real v1 "voltage of C1 or R1";
  Real v2(start = 0, fixed = true) "voltage of C2";
  Boolean broken(start = false, fixed = true);
  // Derivatives
  Real v2_p "v2'";
  // Replicates
  Real i1_1 "i1 if not broken";
  Real i1_3 "i1 if broken";
  Real i2_1 "i2 if not broken";
  Real i2_4 "i2 if broken";
  Real v1_1(start = 0) "v1 if not broken";
  Real v1_2 "v1 if broken";
  Real v1_p_1 "v1' if not broken";
  Real v2_p_1 "v2' if not broken";
  Real v2_p_5 "v2' if broken";
equation
  // Mode equations
  broken = pre(v1) >= Vmax or pre(broken);
  // Differential equations
  der(v1_1) = v1_p_1;
  der(v2) = v2_p;
  // Multiplexing
  i1 = if broken then i1_3 else i1_1;
  i2 = if broken then i2_4 else i2_1;
  v1 = if broken then v1_2 else v1_1;
  v2_p = if broken then v2_p_5 else v2_p_1;
  // Block v2 -- src -> i
  V = R2*i + v2;
  // Block not broken: i -- node par' cap2 cap1 -> i1 i2 v1' v2'
  i = i1_1 + i2_1;
  v1_p_1 = v2_p_1;
  i2_1 = C2*v2_p_1;
  i1_1 = C1*v1_p_1;
  // Block broken: v2 -- par -> v1
  v1_2 = v2;
  // Block broken: v1 -- res1 -> i1
  v1_2 = R1*i1_3;
  // Block broken: i i1 -- node -> i2
  i2_4 = i - i1_3;
  // Block broken: i2 -- cap2 -> v2'
  i2_4 = C2*v2_p_5;
  annotation (experiment(StopTime = 1));
end BreakingCapacitorRIMIS;
