model BreakingInductorRIMIS
  // BreakingInductor with a structure that does not depend on the mode, written by `modeshift rimis`.
  // `x_p` is the derivative of `x`; `x_3` is `x` as block 3 gives it, in the modes of that block. All blocks are
  // evaluated in all modes; under "Multiplexing", the mode says whose value counts.
  // Guards are looked at in the mode that is left: `b_next` is what the guard of `b` asks for,
  // `b = pre(b_next)` is in force, and the event iteration goes on until both agree.
  // Start values that the model does not fix were found for the parameters as they are here.
  // Parameters and constants
  parameter Real V = 10;
  parameter Real R = 1;
  parameter Real R1 = 100;
  parameter Real L1 = 1;
  parameter Real L2 = 1;
  parameter Real Imax = 5;
  // Variables
  Real i1 "current through L1 or R1";
  Real i2(start = 0, fixed = true) "current through L2";
  Real u1 "voltage of L1 or R1";
  Real u2 "voltage of L2";
  Boolean broken;
  // Modes
  Boolean broken_next(start = false, fixed = true) "what the guard of broken asks for";
  // Derivatives
  Real i2_p "i2'";
  // Replicates
  Real i1_0(start = 0, fixed = true) "i1 if not broken";
  Real i1_1 "i1 if broken";
  Real i1_p_0 "i1' if not broken";
  Real i2_p_0 "i2' if not broken";
  Real i2_p_4 "i2' if broken";
  Real u1_0 "u1 if not broken";
  Real u1_2 "u1 if broken";
  Real u2_0 "u2 if not broken";
  Real u2_3 "u2 if broken";
equation
  // Mode equations
  broken_next = i1 >= Imax or broken;
  broken = pre(broken_next);
  // Differential equations
  der(i1_0) = if not broken then i1_p_0 else 0;
  der(i2) = i2_p;
  // Multiplexing
  i1 = if broken then i1_1 else i1_0;
  i2_p = if broken then i2_p_4 else i2_p_0;
  u1 = if broken then u1_2 else u1_0;
  u2 = if broken then u2_3 else u2_0;
  // Block not broken: i2 -- src ser' ind2 ind1 -> i1' i2' u1 u2
  V = R*i2 + u1_0 + u2_0;
  i1_p_0 = i2_p_0;
  u2_0 = L2*i2_p_0;
  u1_0 = L1*i1_p_0;
  // Block broken: i2 -- ser -> i1
  i1_1 = i2;
  // Block broken: i1 -- res1 -> u1
  u1_2 = R1*i1_1;
  // Block broken: i2 u1 -- src -> u2
  u2_3 = V - R*i2 - u1_2;
  // Block broken: u2 -- ind2 -> i2'
  u2_3 = L2*i2_p_4;
  annotation (experiment(StopTime = 3));
end BreakingInductorRIMIS;
