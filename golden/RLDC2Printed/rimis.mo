model RLDC2PrintedRIMIS
  // RLDC2Printed with a structure that does not depend on the mode, written by `modeshift rimis`.
  // `x_p` is the derivative of `x`; `x_3` is `x` as block 3 gives it, in the modes of that block. All blocks are
  // evaluated in all modes; under "Multiplexing", the mode says whose value counts.
  // Guards are looked at in the mode that is left: `b_next` is what the guard of `b` asks for,
  // `b = pre(b_next)` is in force, and the event iteration goes on until both agree.
  // A guard that depends on the mode has to go beyond its bound by `hysteresis`: without it,
  // rounding would decide at the bound, and a mode could be left and entered without end.
  // Parameters and constants
  parameter Real R1 = 10;
  parameter Real R2 = 15;
  parameter Real L1 = 1;
  parameter Real L2 = 1.5;
  parameter Real C1 = 0.1;
  parameter Real C2 = 0.15;
  parameter Real hysteresis = 1e-9 "how far a guard goes beyond its bound before the mode changes";
  // Variables
  Real i1;
  Real i2;
  Real j1(start = 2, fixed = true);
  Real j2(start = 1, fixed = true);
  Real u1;
  Real u2;
  Real v1(start = 0.5, fixed = true);
  Real v2(start = 1, fixed = true);
  Real w1;
  Real w2;
  Real x1;
  Real x2;
  Real s1;
  Real s2;
  Boolean g1;
  Boolean g2;
  // Modes
  Boolean g1_next(start = false, fixed = true) "what the guard of g1 asks for";
  Boolean g2_next(start = false, fixed = true) "what the guard of g2 asks for";
  // Derivatives
  Real j1_p "j1'";
  Real j2_p "j2'";
  Real v1_p "v1'";
  Real v2_p "v2'";
  // Replicates
  Real i1_2 "i1 if not (g1 or g2)";
  Real i1_3 "i1 if not g1 and g2";
  Real i1_12 "i1 if g1 and not g2";
  Real i1_16 "i1 if g1 and g2";
  Real i1_p_2 "i1' if not (g1 or g2)";
  Real i2_8 "i2 if not (g1 or g2)";
  Real i2_4 "i2 if not g1 and g2";
  Real i2_11 "i2 if g1 and not g2";
  Real i2_16 "i2 if g1 and g2";
  Real i2_p_8 "i2' if not (g1 or g2)";
  Real j1_p_9 "j1' if not (g1 or g2)";
  Real j1_p_23 "j1' if g1 or g2";
  Real j2_p_9 "j2' if not (g1 or g2)";
  Real j2_p_24 "j2' if g1 or g2";
  Real u1_5 "u1 if g1 and g2";
  Real u1_6 "u1 if g1 and not g2";
  Real u1_9 "u1 if not (g1 or g2)";
  Real u1_20 "u1 if not g1 and g2";
  Real u1_p_5 "u1' if g1 and g2";
  Real u2_15 "u2 if g1 and g2";
  Real u2_7 "u2 if g1 and not g2";
  Real u2_9 "u2 if not (g1 or g2)";
  Real u2_19 "u2 if not g1 and g2";
  Real u2_p_15 "u2' if g1 and g2";
  Real v1_p_13 "v1' if not (g1 and g2)";
  Real v1_p_16 "v1' if g1 and g2";
  Real v2_p_14 "v2' if not (g1 and g2)";
  Real v2_p_16 "v2' if g1 and g2";
  Real w1_9 "w1 if not (g1 or g2)";
  Real w1_21 "w1 if g1 or g2";
  Real w2_9 "w2 if not (g1 or g2)";
  Real w2_22 "w2 if g1 or g2";
  Real s1_17 "s1 if g1";
  Real s1_25 "s1 if not g1";
  Real s2_10 "s2 if not g2";
  Real s2_18 "s2 if g2";
  Real u2_seen1 "u2 if not g2";
  Real i1_seen2 "i1 if not (g1 and g2)";
  Real i2_seen3 "i2 if not (g1 and g2)";
  Real i1_seen4 "i1 if g1";
  Real i2_seen5 "i2 if g2";
  Real u1_seen6 "u1 if g1 or g2";
  Real u2_seen7 "u2 if g1 or g2";
  Real u1_seen8 "u1 if not g1";
equation
  // Mode equations
  g1_next = if g1 then s1 >= -hysteresis else s1 > hysteresis;
  g1 = pre(g1_next);
  g2_next = if g2 then s2 >= -hysteresis else s2 > hysteresis;
  g2 = pre(g2_next);
  // Differential equations
  der(i1_2) = if not (g1 or g2) then i1_p_2 else 0;
  der(i2_8) = if not (g1 or g2) then i2_p_8 else 0;
  der(j1) = j1_p;
  der(j2) = j2_p;
  der(u1_5) = if g1 and g2 then u1_p_5 else 0;
  der(u2_15) = if g1 and g2 then u2_p_15 else 0;
  der(v1) = v1_p;
  der(v2) = v2_p;
  // Multiplexing
  i1 = if g1 and g2 then i1_16 else if g2 then i1_3 else if g1 then i1_12 else i1_2;
  i2 = if g1 and g2 then i2_16 else if g2 then i2_4 else if g1 then i2_11 else i2_8;
  j1_p = if g1 or g2 then j1_p_23 else j1_p_9;
  j2_p = if g1 or g2 then j2_p_24 else j2_p_9;
  u1 = if g1 and g2 then u1_5 else if g1 then u1_6 else if g2 then u1_20 else u1_9;
  u2 = if g1 and g2 then u2_15 else if g1 then u2_7 else if g2 then u2_19 else u2_9;
  v1_p = if g1 and g2 then v1_p_16 else v1_p_13;
  v2_p = if g1 and g2 then v2_p_16 else v2_p_14;
  w1 = if g1 or g2 then w1_21 else w1_9;
  w2 = if g1 or g2 then w2_22 else w2_9;
  s1 = if g1 then s1_17 else s1_25;
  s2 = if g2 then s2_18 else s2_10;
  u2_seen1 = if g1 then u2_7 else u2_9;
  i1_seen2 = if g2 then i1_3 else if g1 then i1_12 else i1_2;
  i2_seen3 = if g2 then i2_4 else if g1 then i2_11 else i2_8;
  i1_seen4 = if g2 then i1_16 else i1_12;
  i2_seen5 = if g1 then i2_16 else i2_4;
  u1_seen6 = if not g2 then u1_6 else if not g1 then u1_20 else u1_5;
  u2_seen7 = if not g2 then u2_7 else if not g1 then u2_19 else u2_15;
  u1_seen8 = if g2 then u1_20 else u1_9;
  // Block j1 -- R1 -> x1
  x1 = R1*j1;
  // Block j2 -- R2 -> x2
  x2 = R2*j2;
  // Block not (g1 or g2): Z1' -> i1'
  i1_p_2 = 0;
  // Block not g1 and g2: Z1 -> i1
  i1_3 = 0;
  // Block not g1 and g2: i1 j1 j2 -- K1 -> i2
  i2_4 = -j1 - i1_3 - j2;
  // Block g1 and g2: Z1' -> u1'
  u1_p_5 = 0;
  // Block g1 and not g2: Z1 -> u1
  u1_6 = 0;
  // Block g1 and not g2: u1 v1 v2 -- K3 -> u2
  u2_7 = u1_6 + v1 - v2;
  // Block not (g1 or g2): Z2' -> i2'
  i2_p_8 = 0;
  // Block not (g1 or g2): i1' i2' v1 v2 x1 x2 -- K1' K2 K3 K4 L1 L2 -> j1' j2' u1 u2 w1 w2
  0 = j1_p_9 + i1_p_2 + i2_p_8 + j2_p_9;
  x1 + w1_9 = u1_9 + v1;
  u1_9 + v1 = u2_9 + v2;
  u2_9 + v2 = x2 + w2_9;
  w1_9 = L1*j1_p_9;
  w2_9 = L2*j2_p_9;
  // Block not g2: u2 -- S2 -> s2
  s2_10 = -u2_seen1;
  // Block g1 and not g2: Z2 -> i2
  i2_11 = 0;
  // Block g1 and not g2: i2 j1 j2 -- K1 -> i1
  i1_12 = -j1 - i2_11 - j2;
  // Block not (g1 and g2): i1 -- C1 -> v1'
  i1_seen2 = C1*v1_p_13;
  // Block not (g1 and g2): i2 -- C2 -> v2'
  i2_seen3 = C2*v2_p_14;
  // Block g1 and g2: Z2' -> u2'
  u2_p_15 = 0;
  // Block g1 and g2: j1 j2 u1' u2' -- K1 K3' C1 C2 -> i1 i2 v1' v2'
  0 = j1 + i1_16 + i2_16 + j2;
  u1_p_5 + v1_p_16 = u2_p_15 + v2_p_16;
  i1_16 = C1*v1_p_16;
  i2_16 = C2*v2_p_16;
  // Block g1: i1 -- S1 -> s1
  s1_17 = i1_seen4;
  // Block g2: i2 -- S2 -> s2
  s2_18 = i2_seen5;
  // Block not g1 and g2: Z2 -> u2
  u2_19 = 0;
  // Block not g1 and g2: u2 v1 v2 -- K3 -> u1
  u1_20 = u2_19 + v2 - v1;
  // Block g1 or g2: u1 v1 x1 -- K2 -> w1
  w1_21 = u1_seen6 + v1 - x1;
  // Block g1 or g2: u2 v2 x2 -- K4 -> w2
  w2_22 = u2_seen7 + v2 - x2;
  // Block g1 or g2: w1 -- L1 -> j1'
  w1_21 = L1*j1_p_23;
  // Block g1 or g2: w2 -- L2 -> j2'
  w2_22 = L2*j2_p_24;
  // Block not g1: u1 -- S1 -> s1
  s1_25 = -u1_seen8;
  // Reinitialisations
  when not (g1 or g2) then
    reinit(i1_2, 0);
    reinit(i2_8, 0);
    reinit(j1, (L1*pre(j1) - L2*pre(j2))/(L2 + L1));
    reinit(j2, -(L1*pre(j1) - L2*pre(j2))/(L2 + L1));
  end when;
  when g1 and g2 then
    reinit(u1_5, 0);
    reinit(u2_15, 0);
    reinit(v1, (C2*pre(v2) + C1*pre(v1))/(C2 + C1));
    reinit(v2, (C2*pre(v2) + C1*pre(v1))/(C2 + C1));
  end when;
  annotation (experiment(StopTime = 1));
end RLDC2PrintedRIMIS;
