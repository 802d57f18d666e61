model TransmissionTreeRIMIS
  // TransmissionTree with a structure that does not depend on the mode, written by `modeshift rimis`.
  // `x_p` is the derivative of `x`; `x_3` is `x` as block 3 gives it, in the modes of that block. All blocks are
  // evaluated in all modes; under "Multiplexing", the mode says whose value counts.
  // Guards are looked at in the mode that is left: `b_next` is what the guard of `b` asks for,
  // `b = pre(b_next)` is in force, and the event iteration goes on until both agree.
  // Parameters and constants
  constant Integer N = 7;
  parameter Real U0 = 100;
  parameter Real I0 = 0.1;
  parameter Real 'element[1].R' = 0.01;
  parameter Real 'element[1].L' = 1e-6;
  parameter Real 'element[1].C' = 1e-11;
  parameter Real 'element[1].S' = 1e-11;
  parameter Real 'element[1].Imax' = 0.3;
  parameter Real 'element[1].Umax' = 250;
  parameter Real 'element[2].R' = 0.01;
  parameter Real 'element[2].L' = 1e-6;
  parameter Real 'element[2].C' = 1e-11;
  parameter Real 'element[2].S' = 1e-11;
  parameter Real 'element[2].Imax' = 0.3;
  parameter Real 'element[2].Umax' = 250;
  parameter Real 'element[3].R' = 0.01;
  parameter Real 'element[3].L' = 1e-6;
  parameter Real 'element[3].C' = 1e-11;
  parameter Real 'element[3].S' = 1e-11;
  parameter Real 'element[3].Imax' = 0.3;
  parameter Real 'element[3].Umax' = 250;
  parameter Real 'element[4].R' = 0.01;
  parameter Real 'element[4].L' = 1e-6;
  parameter Real 'element[4].C' = 1e-11;
  parameter Real 'element[4].S' = 1e-11;
  parameter Real 'element[4].Imax' = 0.3;
  parameter Real 'element[4].Umax' = 250;
  parameter Real 'element[5].R' = 0.01;
  parameter Real 'element[5].L' = 1e-6;
  parameter Real 'element[5].C' = 1e-11;
  parameter Real 'element[5].S' = 1e-11;
  parameter Real 'element[5].Imax' = 0.3;
  parameter Real 'element[5].Umax' = 250;
  parameter Real 'element[6].R' = 0.01;
  parameter Real 'element[6].L' = 1e-6;
  parameter Real 'element[6].C' = 1e-11;
  parameter Real 'element[6].S' = 1e-11;
  parameter Real 'element[6].Imax' = 0.3;
  parameter Real 'element[6].Umax' = 250;
  parameter Real 'element[7].R' = 0.01;
  parameter Real 'element[7].L' = 1e-6;
  parameter Real 'element[7].C' = 1e-11;
  parameter Real 'element[7].S' = 1e-11;
  parameter Real 'element[7].Imax' = 0.3;
  parameter Real 'element[7].Umax' = 250;
  // Variables
  Real 'element[1].u1' "voltage at end 1";
  Real 'element[1].i1' "current into end 1";
  Real 'element[1].u2' "voltage at end 2";
  Real 'element[1].i2' "current into end 2";
  Boolean 'element[1].open';
  Boolean 'element[1].short';
  Real 'element[1].v' "voltage between the ends";
  Real 'element[1].j' "current to ground";
  Real 'element[2].u1' "voltage at end 1";
  Real 'element[2].i1' "current into end 1";
  Real 'element[2].u2' "voltage at end 2";
  Real 'element[2].i2' "current into end 2";
  Boolean 'element[2].open';
  Boolean 'element[2].short';
  Real 'element[2].v' "voltage between the ends";
  Real 'element[2].j' "current to ground";
  Real 'element[3].u1' "voltage at end 1";
  Real 'element[3].i1' "current into end 1";
  Real 'element[3].u2' "voltage at end 2";
  Real 'element[3].i2' "current into end 2";
  Boolean 'element[3].open';
  Boolean 'element[3].short';
  Real 'element[3].v' "voltage between the ends";
  Real 'element[3].j' "current to ground";
  Real 'element[4].u1' "voltage at end 1";
  Real 'element[4].i1' "current into end 1";
  Real 'element[4].u2' "voltage at end 2";
  Real 'element[4].i2' "current into end 2";
  Boolean 'element[4].open';
  Boolean 'element[4].short';
  Real 'element[4].v' "voltage between the ends";
  Real 'element[4].j' "current to ground";
  Real 'element[5].u1' "voltage at end 1";
  Real 'element[5].i1' "current into end 1";
  Real 'element[5].u2' "voltage at end 2";
  Real 'element[5].i2' "current into end 2";
  Boolean 'element[5].open';
  Boolean 'element[5].short';
  Real 'element[5].v' "voltage between the ends";
  Real 'element[5].j' "current to ground";
  Real 'element[6].u1' "voltage at end 1";
  Real 'element[6].i1' "current into end 1";
  Real 'element[6].u2' "voltage at end 2";
  Real 'element[6].i2' "current into end 2";
  Boolean 'element[6].open';
  Boolean 'element[6].short';
  Real 'element[6].v' "voltage between the ends";
  Real 'element[6].j' "current to ground";
  Real 'element[7].u1' "voltage at end 1";
  Real 'element[7].i1' "current into end 1";
  Real 'element[7].u2' "voltage at end 2";
  Real 'element[7].i2' "current into end 2";
  Boolean 'element[7].open';
  Boolean 'element[7].short';
  Real 'element[7].v' "voltage between the ends";
  Real 'element[7].j' "current to ground";
  // Modes
  Boolean 'element[1].open_next'(start = false, fixed = true) "what the guard of element[1].open asks for";
  Boolean 'element[1].short_next'(start = false, fixed = true) "what the guard of element[1].short asks for";
  Boolean 'element[2].open_next'(start = false, fixed = true) "what the guard of element[2].open asks for";
  Boolean 'element[2].short_next'(start = false, fixed = true) "what the guard of element[2].short asks for";
  Boolean 'element[3].open_next'(start = false, fixed = true) "what the guard of element[3].open asks for";
  Boolean 'element[3].short_next'(start = false, fixed = true) "what the guard of element[3].short asks for";
  Boolean 'element[4].open_next'(start = false, fixed = true) "what the guard of element[4].open asks for";
  Boolean 'element[4].short_next'(start = false, fixed = true) "what the guard of element[4].short asks for";
  Boolean 'element[5].open_next'(start = false, fixed = true) "what the guard of element[5].open asks for";
  Boolean 'element[5].short_next'(start = false, fixed = true) "what the guard of element[5].short asks for";
  Boolean 'element[6].open_next'(start = false, fixed = true) "what the guard of element[6].open asks for";
  Boolean 'element[6].short_next'(start = false, fixed = true) "what the guard of element[6].short asks for";
  Boolean 'element[7].open_next'(start = false, fixed = true) "what the guard of element[7].open asks for";
  Boolean 'element[7].short_next'(start = false, fixed = true) "what the guard of element[7].short asks for";
  // Replicates
  Real 'element[1].i1_30'(start = 0, fixed = true) "element[1].i1 if not element[1].open";
  Real 'element[1].i1_0' "element[1].i1 if element[1].open";
  Real 'element[1].i1_p_30' "element[1].i1' if not element[1].open";
  Real 'element[1].u2_51'(start = 0, fixed = true) "element[1].u2 if not element[1].short";
  Real 'element[1].u2_2' "element[1].u2 if element[1].short";
  Real 'element[1].u2_p_51' "element[1].u2' if not element[1].short";
  Real 'element[1].v_1' "element[1].v if element[1].open";
  Real 'element[1].v_29' "element[1].v if not element[1].open";
  Real 'element[1].j_3' "element[1].j if element[1].short";
  Real 'element[1].j_50' "element[1].j if not element[1].short";
  Real 'element[2].i1_33'(start = 0, fixed = true) "element[2].i1 if not element[2].open";
  Real 'element[2].i1_4' "element[2].i1 if element[2].open";
  Real 'element[2].i1_p_33' "element[2].i1' if not element[2].open";
  Real 'element[2].u2_54'(start = 0, fixed = true) "element[2].u2 if not element[2].short";
  Real 'element[2].u2_6' "element[2].u2 if element[2].short";
  Real 'element[2].u2_p_54' "element[2].u2' if not element[2].short";
  Real 'element[2].v_5' "element[2].v if element[2].open";
  Real 'element[2].v_32' "element[2].v if not element[2].open";
  Real 'element[2].j_7' "element[2].j if element[2].short";
  Real 'element[2].j_53' "element[2].j if not element[2].short";
  Real 'element[3].i1_36'(start = 0, fixed = true) "element[3].i1 if not element[3].open";
  Real 'element[3].i1_8' "element[3].i1 if element[3].open";
  Real 'element[3].i1_p_36' "element[3].i1' if not element[3].open";
  Real 'element[3].u2_57'(start = 0, fixed = true) "element[3].u2 if not element[3].short";
  Real 'element[3].u2_10' "element[3].u2 if element[3].short";
  Real 'element[3].u2_p_57' "element[3].u2' if not element[3].short";
  Real 'element[3].v_9' "element[3].v if element[3].open";
  Real 'element[3].v_35' "element[3].v if not element[3].open";
  Real 'element[3].j_11' "element[3].j if element[3].short";
  Real 'element[3].j_56' "element[3].j if not element[3].short";
  Real 'element[4].i1_39'(start = 0, fixed = true) "element[4].i1 if not element[4].open";
  Real 'element[4].i1_12' "element[4].i1 if element[4].open";
  Real 'element[4].i1_p_39' "element[4].i1' if not element[4].open";
  Real 'element[4].u2_60'(start = 0, fixed = true) "element[4].u2 if not element[4].short";
  Real 'element[4].u2_14' "element[4].u2 if element[4].short";
  Real 'element[4].u2_p_60' "element[4].u2' if not element[4].short";
  Real 'element[4].v_13' "element[4].v if element[4].open";
  Real 'element[4].v_38' "element[4].v if not element[4].open";
  Real 'element[4].j_15' "element[4].j if element[4].short";
  Real 'element[4].j_59' "element[4].j if not element[4].short";
  Real 'element[5].i1_42'(start = 0, fixed = true) "element[5].i1 if not element[5].open";
  Real 'element[5].i1_16' "element[5].i1 if element[5].open";
  Real 'element[5].i1_p_42' "element[5].i1' if not element[5].open";
  Real 'element[5].u2_63'(start = 0, fixed = true) "element[5].u2 if not element[5].short";
  Real 'element[5].u2_18' "element[5].u2 if element[5].short";
  Real 'element[5].u2_p_63' "element[5].u2' if not element[5].short";
  Real 'element[5].v_17' "element[5].v if element[5].open";
  Real 'element[5].v_41' "element[5].v if not element[5].open";
  Real 'element[5].j_19' "element[5].j if element[5].short";
  Real 'element[5].j_62' "element[5].j if not element[5].short";
  Real 'element[6].i1_45'(start = 0, fixed = true) "element[6].i1 if not element[6].open";
  Real 'element[6].i1_20' "element[6].i1 if element[6].open";
  Real 'element[6].i1_p_45' "element[6].i1' if not element[6].open";
  Real 'element[6].u2_66'(start = 0, fixed = true) "element[6].u2 if not element[6].short";
  Real 'element[6].u2_22' "element[6].u2 if element[6].short";
  Real 'element[6].u2_p_66' "element[6].u2' if not element[6].short";
  Real 'element[6].v_21' "element[6].v if element[6].open";
  Real 'element[6].v_44' "element[6].v if not element[6].open";
  Real 'element[6].j_23' "element[6].j if element[6].short";
  Real 'element[6].j_65' "element[6].j if not element[6].short";
  Real 'element[7].i1_48'(start = 0, fixed = true) "element[7].i1 if not element[7].open";
  Real 'element[7].i1_24' "element[7].i1 if element[7].open";
  Real 'element[7].i1_p_48' "element[7].i1' if not element[7].open";
  Real 'element[7].u2_69'(start = 0, fixed = true) "element[7].u2 if not element[7].short";
  Real 'element[7].u2_26' "element[7].u2 if element[7].short";
  Real 'element[7].u2_p_69' "element[7].u2' if not element[7].short";
  Real 'element[7].v_25' "element[7].v if element[7].open";
  Real 'element[7].v_47' "element[7].v if not element[7].open";
  Real 'element[7].j_27' "element[7].j if element[7].short";
  Real 'element[7].j_68' "element[7].j if not element[7].short";
equation
  // Mode equations
  'element[1].open_next' = ('element[1].i2' >= 'element[1].Imax' or 'element[1].open') and not 'element[1].short';
  'element[1].open' = pre('element[1].open_next');
  'element[1].short_next' = 'element[1].u1' >= 'element[1].Umax' or 'element[1].short';
  'element[1].short' = pre('element[1].short_next');
  'element[2].open_next' = ('element[2].i2' >= 'element[2].Imax' or 'element[2].open') and not 'element[2].short';
  'element[2].open' = pre('element[2].open_next');
  'element[2].short_next' = 'element[2].u1' >= 'element[2].Umax' or 'element[2].short';
  'element[2].short' = pre('element[2].short_next');
  'element[3].open_next' = ('element[3].i2' >= 'element[3].Imax' or 'element[3].open') and not 'element[3].short';
  'element[3].open' = pre('element[3].open_next');
  'element[3].short_next' = 'element[3].u1' >= 'element[3].Umax' or 'element[3].short';
  'element[3].short' = pre('element[3].short_next');
  'element[4].open_next' = ('element[4].i2' >= 'element[4].Imax' or 'element[4].open') and not 'element[4].short';
  'element[4].open' = pre('element[4].open_next');
  'element[4].short_next' = 'element[4].u1' >= 'element[4].Umax' or 'element[4].short';
  'element[4].short' = pre('element[4].short_next');
  'element[5].open_next' = ('element[5].i2' >= 'element[5].Imax' or 'element[5].open') and not 'element[5].short';
  'element[5].open' = pre('element[5].open_next');
  'element[5].short_next' = 'element[5].u1' >= 'element[5].Umax' or 'element[5].short';
  'element[5].short' = pre('element[5].short_next');
  'element[6].open_next' = ('element[6].i2' >= 'element[6].Imax' or 'element[6].open') and not 'element[6].short';
  'element[6].open' = pre('element[6].open_next');
  'element[6].short_next' = 'element[6].u1' >= 'element[6].Umax' or 'element[6].short';
  'element[6].short' = pre('element[6].short_next');
  'element[7].open_next' = ('element[7].i2' >= 'element[7].Imax' or 'element[7].open') and not 'element[7].short';
  'element[7].open' = pre('element[7].open_next');
  'element[7].short_next' = 'element[7].u1' >= 'element[7].Umax' or 'element[7].short';
  'element[7].short' = pre('element[7].short_next');
  // Differential equations
  der('element[1].i1_30') = if not 'element[1].open' then 'element[1].i1_p_30' else 0;
  der('element[1].u2_51') = if not 'element[1].short' then 'element[1].u2_p_51' else 0;
  der('element[2].i1_33') = if not 'element[2].open' then 'element[2].i1_p_33' else 0;
  der('element[2].u2_54') = if not 'element[2].short' then 'element[2].u2_p_54' else 0;
  der('element[3].i1_36') = if not 'element[3].open' then 'element[3].i1_p_36' else 0;
  der('element[3].u2_57') = if not 'element[3].short' then 'element[3].u2_p_57' else 0;
  der('element[4].i1_39') = if not 'element[4].open' then 'element[4].i1_p_39' else 0;
  der('element[4].u2_60') = if not 'element[4].short' then 'element[4].u2_p_60' else 0;
  der('element[5].i1_42') = if not 'element[5].open' then 'element[5].i1_p_42' else 0;
  der('element[5].u2_63') = if not 'element[5].short' then 'element[5].u2_p_63' else 0;
  der('element[6].i1_45') = if not 'element[6].open' then 'element[6].i1_p_45' else 0;
  der('element[6].u2_66') = if not 'element[6].short' then 'element[6].u2_p_66' else 0;
  der('element[7].i1_48') = if not 'element[7].open' then 'element[7].i1_p_48' else 0;
  der('element[7].u2_69') = if not 'element[7].short' then 'element[7].u2_p_69' else 0;
  // Multiplexing
  'element[1].i1' = if 'element[1].open' then 'element[1].i1_0' else 'element[1].i1_30';
  'element[1].u2' = if 'element[1].short' then 'element[1].u2_2' else 'element[1].u2_51';
  'element[1].v' = if 'element[1].open' then 'element[1].v_1' else 'element[1].v_29';
  'element[1].j' = if 'element[1].short' then 'element[1].j_3' else 'element[1].j_50';
  'element[2].i1' = if 'element[2].open' then 'element[2].i1_4' else 'element[2].i1_33';
  'element[2].u2' = if 'element[2].short' then 'element[2].u2_6' else 'element[2].u2_54';
  'element[2].v' = if 'element[2].open' then 'element[2].v_5' else 'element[2].v_32';
  'element[2].j' = if 'element[2].short' then 'element[2].j_7' else 'element[2].j_53';
  'element[3].i1' = if 'element[3].open' then 'element[3].i1_8' else 'element[3].i1_36';
  'element[3].u2' = if 'element[3].short' then 'element[3].u2_10' else 'element[3].u2_57';
  'element[3].v' = if 'element[3].open' then 'element[3].v_9' else 'element[3].v_35';
  'element[3].j' = if 'element[3].short' then 'element[3].j_11' else 'element[3].j_56';
  'element[4].i1' = if 'element[4].open' then 'element[4].i1_12' else 'element[4].i1_39';
  'element[4].u2' = if 'element[4].short' then 'element[4].u2_14' else 'element[4].u2_60';
  'element[4].v' = if 'element[4].open' then 'element[4].v_13' else 'element[4].v_38';
  'element[4].j' = if 'element[4].short' then 'element[4].j_15' else 'element[4].j_59';
  'element[5].i1' = if 'element[5].open' then 'element[5].i1_16' else 'element[5].i1_42';
  'element[5].u2' = if 'element[5].short' then 'element[5].u2_18' else 'element[5].u2_63';
  'element[5].v' = if 'element[5].open' then 'element[5].v_17' else 'element[5].v_41';
  'element[5].j' = if 'element[5].short' then 'element[5].j_19' else 'element[5].j_62';
  'element[6].i1' = if 'element[6].open' then 'element[6].i1_20' else 'element[6].i1_45';
  'element[6].u2' = if 'element[6].short' then 'element[6].u2_22' else 'element[6].u2_66';
  'element[6].v' = if 'element[6].open' then 'element[6].v_21' else 'element[6].v_44';
  'element[6].j' = if 'element[6].short' then 'element[6].j_23' else 'element[6].j_65';
  'element[7].i1' = if 'element[7].open' then 'element[7].i1_24' else 'element[7].i1_48';
  'element[7].u2' = if 'element[7].short' then 'element[7].u2_26' else 'element[7].u2_69';
  'element[7].v' = if 'element[7].open' then 'element[7].v_25' else 'element[7].v_47';
  'element[7].j' = if 'element[7].short' then 'element[7].j_27' else 'element[7].j_68';
  // Block element[1].open: element[1].opCir -> element[1].i1
  'element[1].i1_0' = 0;
  // Block element[1].open: element[1].plugV -> element[1].v
  'element[1].v_1' = 0;
  // Block element[1].short: element[1].shCir -> element[1].u2
  'element[1].u2_2' = 0;
  // Block element[1].short: element[1].plugJ -> element[1].j
  'element[1].j_3' = 0;
  // Block element[2].open: element[2].opCir -> element[2].i1
  'element[2].i1_4' = 0;
  // Block element[2].open: element[2].plugV -> element[2].v
  'element[2].v_5' = 0;
  // Block element[2].short: element[2].shCir -> element[2].u2
  'element[2].u2_6' = 0;
  // Block element[2].short: element[2].plugJ -> element[2].j
  'element[2].j_7' = 0;
  // Block element[3].open: element[3].opCir -> element[3].i1
  'element[3].i1_8' = 0;
  // Block element[3].open: element[3].plugV -> element[3].v
  'element[3].v_9' = 0;
  // Block element[3].short: element[3].shCir -> element[3].u2
  'element[3].u2_10' = 0;
  // Block element[3].short: element[3].plugJ -> element[3].j
  'element[3].j_11' = 0;
  // Block element[4].open: element[4].opCir -> element[4].i1
  'element[4].i1_12' = 0;
  // Block element[4].open: element[4].plugV -> element[4].v
  'element[4].v_13' = 0;
  // Block element[4].short: element[4].shCir -> element[4].u2
  'element[4].u2_14' = 0;
  // Block element[4].short: element[4].plugJ -> element[4].j
  'element[4].j_15' = 0;
  // Block element[5].open: element[5].opCir -> element[5].i1
  'element[5].i1_16' = 0;
  // Block element[5].open: element[5].plugV -> element[5].v
  'element[5].v_17' = 0;
  // Block element[5].short: element[5].shCir -> element[5].u2
  'element[5].u2_18' = 0;
  // Block element[5].short: element[5].plugJ -> element[5].j
  'element[5].j_19' = 0;
  // Block element[6].open: element[6].opCir -> element[6].i1
  'element[6].i1_20' = 0;
  // Block element[6].open: element[6].plugV -> element[6].v
  'element[6].v_21' = 0;
  // Block element[6].short: element[6].shCir -> element[6].u2
  'element[6].u2_22' = 0;
  // Block element[6].short: element[6].plugJ -> element[6].j
  'element[6].j_23' = 0;
  // Block element[7].open: element[7].opCir -> element[7].i1
  'element[7].i1_24' = 0;
  // Block element[7].open: element[7].plugV -> element[7].v
  'element[7].v_25' = 0;
  // Block element[7].short: element[7].shCir -> element[7].u2
  'element[7].u2_26' = 0;
  // Block element[7].short: element[7].plugJ -> element[7].j
  'element[7].j_27' = 0;
  // Block src.u -> element[1].u1
  'element[1].u1' = U0;
  // Block not element[1].open: element[1].u1 element[1].u2 -- element[1].notOpCirKir -> element[1].v
  'element[1].v_29' = 'element[1].u1' - 'element[1].u2';
  // Block not element[1].open: element[1].v -- element[1].notOpCirIndOhm -> element[1].i1'
  'element[1].v_29' = 'element[1].L'*'element[1].i1_p_30' + 'element[1].R'*'element[1].i1_30';
  // Block element[1].u2 -- cpl[2].u -> element[2].u1
  'element[2].u1' = 'element[1].u2';
  // Block not element[2].open: element[2].u1 element[2].u2 -- element[2].notOpCirKir -> element[2].v
  'element[2].v_32' = 'element[2].u1' - 'element[2].u2';
  // Block not element[2].open: element[2].v -- element[2].notOpCirIndOhm -> element[2].i1'
  'element[2].v_32' = 'element[2].L'*'element[2].i1_p_33' + 'element[2].R'*'element[2].i1_33';
  // Block element[1].u2 -- cpl[3].u -> element[3].u1
  'element[3].u1' = 'element[1].u2';
  // Block not element[3].open: element[3].u1 element[3].u2 -- element[3].notOpCirKir -> element[3].v
  'element[3].v_35' = 'element[3].u1' - 'element[3].u2';
  // Block not element[3].open: element[3].v -- element[3].notOpCirIndOhm -> element[3].i1'
  'element[3].v_35' = 'element[3].L'*'element[3].i1_p_36' + 'element[3].R'*'element[3].i1_36';
  // Block element[2].u2 -- cpl[4].u -> element[4].u1
  'element[4].u1' = 'element[2].u2';
  // Block not element[4].open: element[4].u1 element[4].u2 -- element[4].notOpCirKir -> element[4].v
  'element[4].v_38' = 'element[4].u1' - 'element[4].u2';
  // Block not element[4].open: element[4].v -- element[4].notOpCirIndOhm -> element[4].i1'
  'element[4].v_38' = 'element[4].L'*'element[4].i1_p_39' + 'element[4].R'*'element[4].i1_39';
  // Block element[2].u2 -- cpl[5].u -> element[5].u1
  'element[5].u1' = 'element[2].u2';
  // Block not element[5].open: element[5].u1 element[5].u2 -- element[5].notOpCirKir -> element[5].v
  'element[5].v_41' = 'element[5].u1' - 'element[5].u2';
  // Block not element[5].open: element[5].v -- element[5].notOpCirIndOhm -> element[5].i1'
  'element[5].v_41' = 'element[5].L'*'element[5].i1_p_42' + 'element[5].R'*'element[5].i1_42';
  // Block element[3].u2 -- cpl[6].u -> element[6].u1
  'element[6].u1' = 'element[3].u2';
  // Block not element[6].open: element[6].u1 element[6].u2 -- element[6].notOpCirKir -> element[6].v
  'element[6].v_44' = 'element[6].u1' - 'element[6].u2';
  // Block not element[6].open: element[6].v -- element[6].notOpCirIndOhm -> element[6].i1'
  'element[6].v_44' = 'element[6].L'*'element[6].i1_p_45' + 'element[6].R'*'element[6].i1_45';
  // Block element[3].u2 -- cpl[7].u -> element[7].u1
  'element[7].u1' = 'element[3].u2';
  // Block not element[7].open: element[7].u1 element[7].u2 -- element[7].notOpCirKir -> element[7].v
  'element[7].v_47' = 'element[7].u1' - 'element[7].u2';
  // Block not element[7].open: element[7].v -- element[7].notOpCirIndOhm -> element[7].i1'
  'element[7].v_47' = 'element[7].L'*'element[7].i1_p_48' + 'element[7].R'*'element[7].i1_48';
  // Block element[2].i1 element[3].i1 -- cpl[1].i -> element[1].i2
  'element[1].i2' = -'element[2].i1' - 'element[3].i1';
  // Block not element[1].short: element[1].i1 element[1].i2 -- element[1].notShCirKir -> element[1].j
  'element[1].j_50' = 'element[1].i1' + 'element[1].i2';
  // Block not element[1].short: element[1].j -- element[1].notShCirCap -> element[1].u2'
  'element[1].j_50' = 'element[1].C'*'element[1].u2_p_51' + 'element[1].S'*'element[1].u2_51';
  // Block element[4].i1 element[5].i1 -- cpl[2].i -> element[2].i2
  'element[2].i2' = -'element[4].i1' - 'element[5].i1';
  // Block not element[2].short: element[2].i1 element[2].i2 -- element[2].notShCirKir -> element[2].j
  'element[2].j_53' = 'element[2].i1' + 'element[2].i2';
  // Block not element[2].short: element[2].j -- element[2].notShCirCap -> element[2].u2'
  'element[2].j_53' = 'element[2].C'*'element[2].u2_p_54' + 'element[2].S'*'element[2].u2_54';
  // Block element[6].i1 element[7].i1 -- cpl[3].i -> element[3].i2
  'element[3].i2' = -'element[6].i1' - 'element[7].i1';
  // Block not element[3].short: element[3].i1 element[3].i2 -- element[3].notShCirKir -> element[3].j
  'element[3].j_56' = 'element[3].i1' + 'element[3].i2';
  // Block not element[3].short: element[3].j -- element[3].notShCirCap -> element[3].u2'
  'element[3].j_56' = 'element[3].C'*'element[3].u2_p_57' + 'element[3].S'*'element[3].u2_57';
  // Block leaf[4].i -> element[4].i2
  'element[4].i2' = I0;
  // Block not element[4].short: element[4].i1 element[4].i2 -- element[4].notShCirKir -> element[4].j
  'element[4].j_59' = 'element[4].i1' + 'element[4].i2';
  // Block not element[4].short: element[4].j -- element[4].notShCirCap -> element[4].u2'
  'element[4].j_59' = 'element[4].C'*'element[4].u2_p_60' + 'element[4].S'*'element[4].u2_60';
  // Block leaf[5].i -> element[5].i2
  'element[5].i2' = I0;
  // Block not element[5].short: element[5].i1 element[5].i2 -- element[5].notShCirKir -> element[5].j
  'element[5].j_62' = 'element[5].i1' + 'element[5].i2';
  // Block not element[5].short: element[5].j -- element[5].notShCirCap -> element[5].u2'
  'element[5].j_62' = 'element[5].C'*'element[5].u2_p_63' + 'element[5].S'*'element[5].u2_63';
  // Block leaf[6].i -> element[6].i2
  'element[6].i2' = I0;
  // Block not element[6].short: element[6].i1 element[6].i2 -- element[6].notShCirKir -> element[6].j
  'element[6].j_65' = 'element[6].i1' + 'element[6].i2';
  // Block not element[6].short: element[6].j -- element[6].notShCirCap -> element[6].u2'
  'element[6].j_65' = 'element[6].C'*'element[6].u2_p_66' + 'element[6].S'*'element[6].u2_66';
  // Block leaf[7].i -> element[7].i2
  'element[7].i2' = I0;
  // Block not element[7].short: element[7].i1 element[7].i2 -- element[7].notShCirKir -> element[7].j
  'element[7].j_68' = 'element[7].i1' + 'element[7].i2';
  // Block not element[7].short: element[7].j -- element[7].notShCirCap -> element[7].u2'
  'element[7].j_68' = 'element[7].C'*'element[7].u2_p_69' + 'element[7].S'*'element[7].u2_69';
  // Assertions
  assert(not ('element[1].open' and 'element[1].short'), "the model excludes this combination of modes");
  assert(not ('element[2].open' and 'element[2].short'), "the model excludes this combination of modes");
  assert(not ('element[3].open' and 'element[3].short'), "the model excludes this combination of modes");
  assert(not ('element[4].open' and 'element[4].short'), "the model excludes this combination of modes");
  assert(not ('element[5].open' and 'element[5].short'), "the model excludes this combination of modes");
  assert(not ('element[6].open' and 'element[6].short'), "the model excludes this combination of modes");
  assert(not ('element[7].open' and 'element[7].short'), "the model excludes this combination of modes");
  annotation (experiment(StopTime = 5e-8));
end TransmissionTreeRIMIS;
