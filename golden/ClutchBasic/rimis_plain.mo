model ClutchBasicRIMIS
  // ClutchBasic with a structure that does not depend on the mode, written by `modeshift rimis`.
  // `x_p` is the derivative of `x`; `x_3` is `x` as block 3 gives it, in the modes of that block. All blocks are
  // evaluated in all modes; under "Multiplexing", the mode says whose value counts.
  // Parameters and constants
  parameter Real w01 = 1;
  parameter Real w02 = 1.5;
  parameter Real j1 = 1;
  parameter Real j2 = 2;
  parameter Real k1 = 0.01;
  parameter Real k2 = 0.0125;
  parameter Real t1 = 5;
  parameter Real t2 = 7;
  // Variables
  Boolean g(start = false) "engaged";
  Real w1(start = w01, fixed = true);
  Real w2(start = w02, fixed = true);
  Real f1;
  Real f2;
  // Derivatives
  Real w1_p "w1'";
  Real w2_p "w2'";
  // Replicates
  Real w1_p_0 "w1' if g";
  Real w1_p_2 "w1' if not g";
  Real w2_p_0 "w2' if g";
  Real w2_p_4 "w2' if not g";
  Real f1_0 "f1 if g";
  Real f1_1 "f1 if not g";
  Real f2_0 "f2 if g";
  Real f2_3 "f2 if not g";
equation
  // Mode equations
  g = time >= t1 and time <= t2;
  // Differential equations
  der(w1) = w1_p;
  der(w2) = w2_p;
  // Multiplexing
  w1_p = if g then w1_p_0 else w1_p_2;
  w2_p = if g then w2_p_0 else w2_p_4;
  f1 = if g then f1_0 else f1_1;
  f2 = if g then f2_0 else f2_3;
  // Block g: e1 e2 e3' e4 -> w1' w2' f1 f2
  j1*w1_p_0 = -k1*w1 + f1_0;
  j2*w2_p_0 = -k2*w2 + f2_0;
  0 = w1_p_0 - w2_p_0;
  f1_0 + f2_0 = 0;
  // Block not g: e3 -> f1
  f1_1 = 0;
  // Block not g: f1 -- e1 -> w1'
  j1*w1_p_2 = -k1*w1 + f1_1;
  // Block not g: f1 -- e4 -> f2
  f2_3 = -f1_1;
  // Block not g: f2 -- e2 -> w2'
  j2*w2_p_4 = -k2*w2 + f2_3;
  // Reinitialisations
  when g then
    reinit(w1, (j1*pre(w1) + j2*pre(w2))/(j2 + j1));
    reinit(w2, (j1*pre(w1) + j2*pre(w2))/(j2 + j1));
  end when;
  annotation (experiment(StopTime = 10));
end ClutchBasicRIMIS;
