model FaultyCoaxialVariableDimensionRIMIS
  // FaultyCoaxialVariableDimension with a structure that does not depend on the mode, written by `modeshift rimis`.
  // `x_p` is the derivative of `x`; `x_3` is `x` as block 3 gives it, in the modes of that block. All blocks are
  // evaluated in all modes; under "Multiplexing", the mode says whose value counts.
  // Guards are looked at in the mode that is left: `b_next` is what the guard of `b` asks for,
  // `b = pre(b_next)` is in force, and the event iteration goes on until both agree.
  // Parameters and constants
  constant Integer N = 3;
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
  // Modes
  Boolean 'element[1].open_next'(start = false, fixed = true) "what the guard of element[1].open asks for";
  Boolean 'element[1].short_next'(start = false, fixed = true) "what the guard of element[1].short asks for";
  Boolean 'element[2].open_next'(start = false, fixed = true) "what the guard of element[2].open asks for";
  Boolean 'element[2].short_next'(start = false, fixed = true) "what the guard of element[2].short asks for";
  Boolean 'element[3].open_next'(start = false, fixed = true) "what the guard of element[3].open asks for";
  Boolean 'element[3].short_next'(start = false, fixed = true) "what the guard of element[3].short asks for";
  // Replicates
  Real 'element[1].i1_20'(start = 0, fixed = true) "element[1].i1 if not element[1].open";
  Real 'element[1].i1_0' "element[1].i1 if element[1].open";
  Real 'element[1].i1_p_20' "element[1].i1' if not element[1].open";
  Real 'element[1].u2_11'(start = 0, fixed = true) "element[1].u2 if not element[1].short";
  Real 'element[1].u2_1' "element[1].u2 if element[1].short";
  Real 'element[1].u2_p_11' "element[1].u2' if not element[1].short";
  Real 'element[2].i1_8'(start = 0, fixed = true) "element[2].i1 if not element[2].open";
  Real 'element[2].i1_2' "element[2].i1 if element[2].open";
  Real 'element[2].i1_p_8' "element[2].i1' if not element[2].open";
  Real 'element[2].u2_17'(start = 0, fixed = true) "element[2].u2 if not element[2].short";
  Real 'element[2].u2_3' "element[2].u2 if element[2].short";
  Real 'element[2].u2_p_17' "element[2].u2' if not element[2].short";
  Real 'element[3].i1_14'(start = 0, fixed = true) "element[3].i1 if not element[3].open";
  Real 'element[3].i1_4' "element[3].i1 if element[3].open";
  Real 'element[3].i1_p_14' "element[3].i1' if not element[3].open";
  Real 'element[3].u2_23'(start = 0, fixed = true) "element[3].u2 if not element[3].short";
  Real 'element[3].u2_5' "element[3].u2 if element[3].short";
  Real 'element[3].u2_p_23' "element[3].u2' if not element[3].short";
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
  // Differential equations
  der('element[1].i1_20') = if not 'element[1].open' then 'element[1].i1_p_20' else 0;
  der('element[1].u2_11') = if not 'element[1].short' then 'element[1].u2_p_11' else 0;
  der('element[2].i1_8') = if not 'element[2].open' then 'element[2].i1_p_8' else 0;
  der('element[2].u2_17') = if not 'element[2].short' then 'element[2].u2_p_17' else 0;
  der('element[3].i1_14') = if not 'element[3].open' then 'element[3].i1_p_14' else 0;
  der('element[3].u2_23') = if not 'element[3].short' then 'element[3].u2_p_23' else 0;
  // Multiplexing
  'element[1].i1' = if 'element[1].open' then 'element[1].i1_0' else 'element[1].i1_20';
  'element[1].u2' = if 'element[1].short' then 'element[1].u2_1' else 'element[1].u2_11';
  'element[2].i1' = if 'element[2].open' then 'element[2].i1_2' else 'element[2].i1_8';
  'element[2].u2' = if 'element[2].short' then 'element[2].u2_3' else 'element[2].u2_17';
  'element[3].i1' = if 'element[3].open' then 'element[3].i1_4' else 'element[3].i1_14';
  'element[3].u2' = if 'element[3].short' then 'element[3].u2_5' else 'element[3].u2_23';
  // Block element[1].open: element[1].opCir -> element[1].i1
  'element[1].i1_0' = 0;
  // Block element[1].short: element[1].shCir -> element[1].u2
  'element[1].u2_1' = 0;
  // Block element[2].open: element[2].opCir -> element[2].i1
  'element[2].i1_2' = 0;
  // Block element[2].short: element[2].shCir -> element[2].u2
  'element[2].u2_3' = 0;
  // Block element[3].open: element[3].opCir -> element[3].i1
  'element[3].i1_4' = 0;
  // Block element[3].short: element[3].shCir -> element[3].u2
  'element[3].u2_5' = 0;
  // Block element[1].u2 -- cpl[1].u -> element[2].u1
  'element[2].u1' = 'element[1].u2';
  // Block not element[2].open: element[2].u1 element[2].u2 -- element[2].notOpCirKir -> element[2].v
  'element[2].v' = 'element[2].u1' - 'element[2].u2';
  // Block not element[2].open: element[2].v -- element[2].notOpCirIndOhm -> element[2].i1'
  'element[2].v' = 'element[2].L'*'element[2].i1_p_8' + 'element[2].R'*'element[2].i1_8';
  // Block element[2].i1 -- cpl[1].i -> element[1].i2
  'element[1].i2' = -'element[2].i1';
  // Block not element[1].short: element[1].i1 element[1].i2 -- element[1].notShCirKir -> element[1].j
  'element[1].j' = 'element[1].i1' + 'element[1].i2';
  // Block not element[1].short: element[1].j -- element[1].notShCirCap -> element[1].u2'
  'element[1].j' = 'element[1].C'*'element[1].u2_p_11' + 'element[1].S'*'element[1].u2_11';
  // Block element[2].u2 -- cpl[2].u -> element[3].u1
  'element[3].u1' = 'element[2].u2';
  // Block not element[3].open: element[3].u1 element[3].u2 -- element[3].notOpCirKir -> element[3].v
  'element[3].v' = 'element[3].u1' - 'element[3].u2';
  // Block not element[3].open: element[3].v -- element[3].notOpCirIndOhm -> element[3].i1'
  'element[3].v' = 'element[3].L'*'element[3].i1_p_14' + 'element[3].R'*'element[3].i1_14';
  // Block element[3].i1 -- cpl[2].i -> element[2].i2
  'element[2].i2' = -'element[3].i1';
  // Block not element[2].short: element[2].i1 element[2].i2 -- element[2].notShCirKir -> element[2].j
  'element[2].j' = 'element[2].i1' + 'element[2].i2';
  // Block not element[2].short: element[2].j -- element[2].notShCirCap -> element[2].u2'
  'element[2].j' = 'element[2].C'*'element[2].u2_p_17' + 'element[2].S'*'element[2].u2_17';
  // Block src.u -> element[1].u1
  'element[1].u1' = U0;
  // Block not element[1].open: element[1].u1 element[1].u2 -- element[1].notOpCirKir -> element[1].v
  'element[1].v' = 'element[1].u1' - 'element[1].u2';
  // Block not element[1].open: element[1].v -- element[1].notOpCirIndOhm -> element[1].i1'
  'element[1].v' = 'element[1].L'*'element[1].i1_p_20' + 'element[1].R'*'element[1].i1_20';
  // Block src.i -> element[3].i2
  'element[3].i2' = I0;
  // Block not element[3].short: element[3].i1 element[3].i2 -- element[3].notShCirKir -> element[3].j
  'element[3].j' = 'element[3].i1' + 'element[3].i2';
  // Block not element[3].short: element[3].j -- element[3].notShCirCap -> element[3].u2'
  'element[3].j' = 'element[3].C'*'element[3].u2_p_23' + 'element[3].S'*'element[3].u2_23';
  // Assertions
  assert(not ('element[1].open' and 'element[1].short'), "the model excludes this combination of modes");
  assert(not ('element[2].open' and 'element[2].short'), "the model excludes this combination of modes");
  assert(not ('element[3].open' and 'element[3].short'), "the model excludes this combination of modes");
  annotation (experiment(StopTime = 5e-8));
end FaultyCoaxialVariableDimensionRIMIS;
