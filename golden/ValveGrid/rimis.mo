model ValveGridRIMIS
  // ValveGrid with a structure that does not depend on the mode, written by `modeshift rimis`.
  // `x_p` is the derivative of `x`; `x_3` is `x` as block 3 gives it, in the modes of that block. All blocks are
  // evaluated in all modes; under "Multiplexing", the mode says whose value counts.
  // Parameters and constants
  constant Integer K = 2;
  parameter Real g = 0.001;
  parameter Real h = 0.01;
  parameter Real s = 1;
  // Variables
  Real 'p[1,1]';
  Real 'l[1,1]';
  Real 'x[1,1]';
  input Boolean 'right[1,1]';
  Real 'y[1,1]';
  input Boolean 'down[1,1]';
  Real 'p[1,2]';
  Real 'l[1,2]';
  Real 'y[1,2]';
  input Boolean 'down[1,2]';
  Real 'p[2,1]';
  Real 'l[2,1]';
  Real 'x[2,1]';
  input Boolean 'right[2,1]';
  Real 'p[2,2]';
  Real 'l[2,2]';
  // Replicates
  Real 'p[1,1]_0' "p[1,1] if right[1,1] and down[1,1] and down[1,2] and right[2,1]";
  Real 'p[1,1]_2' "p[1,1] if not right[1,1] and down[1,1] and down[1,2] and right[2,1]";
  Real 'p[1,1]_5' "p[1,1] if right[1,1] and not down[1,1] and down[1,2] and right[2,1]";
  Real 'p[1,1]_7' "p[1,1] if not (right[1,1] or down[1,1])";
  Real 'p[1,1]_9' "p[1,1] if not right[1,1] and down[1,1] and not down[1,2] and right[2,1]";
  Real 'p[1,1]_10' "p[1,1] if right[1,1] and down[1,1] and not down[1,2] and right[2,1]";
  Real 'p[1,1]_11' "p[1,1] if right[1,1] and not down[1,1] and not down[1,2]";
  Real 'p[1,1]_16' "p[1,1] if right[1,1] and not down[1,1] and down[1,2] and not right[2,1]";
  Real 'p[1,1]_17' "p[1,1] if right[1,1] and down[1,1] and down[1,2] and not right[2,1]";
  Real 'p[1,1]_18' "p[1,1] if not right[1,1] and down[1,1] and not right[2,1]";
  Real 'p[1,1]_19' "p[1,1] if right[1,1] and down[1,1] and not down[1,2] and not right[2,1]";
  Real 'l[1,1]_0' "l[1,1] if right[1,1] and down[1,1] and down[1,2] and right[2,1]";
  Real 'l[1,1]_2' "l[1,1] if not right[1,1] and down[1,1] and down[1,2] and right[2,1]";
  Real 'l[1,1]_4' "l[1,1] if not (right[1,1] or down[1,1])";
  Real 'l[1,1]_5' "l[1,1] if right[1,1] and not down[1,1] and down[1,2] and right[2,1]";
  Real 'l[1,1]_9' "l[1,1] if not right[1,1] and down[1,1] and not down[1,2] and right[2,1]";
  Real 'l[1,1]_10' "l[1,1] if right[1,1] and down[1,1] and not down[1,2] and right[2,1]";
  Real 'l[1,1]_11' "l[1,1] if right[1,1] and not down[1,1] and not down[1,2]";
  Real 'l[1,1]_16' "l[1,1] if right[1,1] and not down[1,1] and down[1,2] and not right[2,1]";
  Real 'l[1,1]_17' "l[1,1] if right[1,1] and down[1,1] and down[1,2] and not right[2,1]";
  Real 'l[1,1]_18' "l[1,1] if not right[1,1] and down[1,1] and not right[2,1]";
  Real 'l[1,1]_19' "l[1,1] if right[1,1] and down[1,1] and not down[1,2] and not right[2,1]";
  Real 'x[1,1]_0' "x[1,1] if right[1,1] and down[1,1] and down[1,2] and right[2,1]";
  Real 'x[1,1]_1' "x[1,1] if not right[1,1]";
  Real 'x[1,1]_5' "x[1,1] if right[1,1] and not down[1,1] and down[1,2] and right[2,1]";
  Real 'x[1,1]_10' "x[1,1] if right[1,1] and down[1,1] and not down[1,2] and right[2,1]";
  Real 'x[1,1]_11' "x[1,1] if right[1,1] and not down[1,1] and not down[1,2]";
  Real 'x[1,1]_16' "x[1,1] if right[1,1] and not down[1,1] and down[1,2] and not right[2,1]";
  Real 'x[1,1]_17' "x[1,1] if right[1,1] and down[1,1] and down[1,2] and not right[2,1]";
  Real 'x[1,1]_19' "x[1,1] if right[1,1] and down[1,1] and not down[1,2] and not right[2,1]";
  Real 'y[1,1]_0' "y[1,1] if right[1,1] and down[1,1] and down[1,2] and right[2,1]";
  Real 'y[1,1]_2' "y[1,1] if not right[1,1] and down[1,1] and down[1,2] and right[2,1]";
  Real 'y[1,1]_3' "y[1,1] if not down[1,1]";
  Real 'y[1,1]_9' "y[1,1] if not right[1,1] and down[1,1] and not down[1,2] and right[2,1]";
  Real 'y[1,1]_10' "y[1,1] if right[1,1] and down[1,1] and not down[1,2] and right[2,1]";
  Real 'y[1,1]_17' "y[1,1] if right[1,1] and down[1,1] and down[1,2] and not right[2,1]";
  Real 'y[1,1]_18' "y[1,1] if not right[1,1] and down[1,1] and not right[2,1]";
  Real 'y[1,1]_19' "y[1,1] if right[1,1] and down[1,1] and not down[1,2] and not right[2,1]";
  Real 'p[1,2]_0' "p[1,2] if right[1,1] and down[1,1] and down[1,2] and right[2,1]";
  Real 'p[1,2]_2' "p[1,2] if not right[1,1] and down[1,1] and down[1,2] and right[2,1]";
  Real 'p[1,2]_5' "p[1,2] if right[1,1] and not down[1,1] and down[1,2] and right[2,1]";
  Real 'p[1,2]_6' "p[1,2] if not right[1,1] and not down[1,1] and down[1,2] and right[2,1]";
  Real 'p[1,2]_10' "p[1,2] if right[1,1] and down[1,1] and not down[1,2] and right[2,1]";
  Real 'p[1,2]_11' "p[1,2] if right[1,1] and not down[1,1] and not down[1,2]";
  Real 'p[1,2]_14' "p[1,2] if not (right[1,1] or down[1,2])";
  Real 'p[1,2]_16' "p[1,2] if right[1,1] and not down[1,1] and down[1,2] and not right[2,1]";
  Real 'p[1,2]_17' "p[1,2] if right[1,1] and down[1,1] and down[1,2] and not right[2,1]";
  Real 'p[1,2]_19' "p[1,2] if right[1,1] and down[1,1] and not down[1,2] and not right[2,1]";
  Real 'p[1,2]_20' "p[1,2] if not right[1,1] and down[1,2] and not right[2,1]";
  Real 'l[1,2]_0' "l[1,2] if right[1,1] and down[1,1] and down[1,2] and right[2,1]";
  Real 'l[1,2]_2' "l[1,2] if not right[1,1] and down[1,1] and down[1,2] and right[2,1]";
  Real 'l[1,2]_5' "l[1,2] if right[1,1] and not down[1,1] and down[1,2] and right[2,1]";
  Real 'l[1,2]_6' "l[1,2] if not right[1,1] and not down[1,1] and down[1,2] and right[2,1]";
  Real 'l[1,2]_10' "l[1,2] if right[1,1] and down[1,1] and not down[1,2] and right[2,1]";
  Real 'l[1,2]_11' "l[1,2] if right[1,1] and not down[1,1] and not down[1,2]";
  Real 'l[1,2]_13' "l[1,2] if not (right[1,1] or down[1,2])";
  Real 'l[1,2]_16' "l[1,2] if right[1,1] and not down[1,1] and down[1,2] and not right[2,1]";
  Real 'l[1,2]_17' "l[1,2] if right[1,1] and down[1,1] and down[1,2] and not right[2,1]";
  Real 'l[1,2]_19' "l[1,2] if right[1,1] and down[1,1] and not down[1,2] and not right[2,1]";
  Real 'l[1,2]_20' "l[1,2] if not right[1,1] and down[1,2] and not right[2,1]";
  Real 'y[1,2]_0' "y[1,2] if right[1,1] and down[1,1] and down[1,2] and right[2,1]";
  Real 'y[1,2]_2' "y[1,2] if not right[1,1] and down[1,1] and down[1,2] and right[2,1]";
  Real 'y[1,2]_5' "y[1,2] if right[1,1] and not down[1,1] and down[1,2] and right[2,1]";
  Real 'y[1,2]_6' "y[1,2] if not right[1,1] and not down[1,1] and down[1,2] and right[2,1]";
  Real 'y[1,2]_8' "y[1,2] if not down[1,2]";
  Real 'y[1,2]_16' "y[1,2] if right[1,1] and not down[1,1] and down[1,2] and not right[2,1]";
  Real 'y[1,2]_17' "y[1,2] if right[1,1] and down[1,1] and down[1,2] and not right[2,1]";
  Real 'y[1,2]_20' "y[1,2] if not right[1,1] and down[1,2] and not right[2,1]";
  Real 'p[2,1]_0' "p[2,1] if right[1,1] and down[1,1] and down[1,2] and right[2,1]";
  Real 'p[2,1]_2' "p[2,1] if not right[1,1] and down[1,1] and down[1,2] and right[2,1]";
  Real 'p[2,1]_5' "p[2,1] if right[1,1] and not down[1,1] and down[1,2] and right[2,1]";
  Real 'p[2,1]_6' "p[2,1] if not right[1,1] and not down[1,1] and down[1,2] and right[2,1]";
  Real 'p[2,1]_9' "p[2,1] if not right[1,1] and down[1,1] and not down[1,2] and right[2,1]";
  Real 'p[2,1]_10' "p[2,1] if right[1,1] and down[1,1] and not down[1,2] and right[2,1]";
  Real 'p[2,1]_12' "p[2,1] if not down[1,1] and not down[1,2] and right[2,1]";
  Real 'p[2,1]_17' "p[2,1] if right[1,1] and down[1,1] and down[1,2] and not right[2,1]";
  Real 'p[2,1]_18' "p[2,1] if not right[1,1] and down[1,1] and not right[2,1]";
  Real 'p[2,1]_19' "p[2,1] if right[1,1] and down[1,1] and not down[1,2] and not right[2,1]";
  Real 'p[2,1]_22' "p[2,1] if not (down[1,1] or right[2,1])";
  Real 'l[2,1]_0' "l[2,1] if right[1,1] and down[1,1] and down[1,2] and right[2,1]";
  Real 'l[2,1]_2' "l[2,1] if not right[1,1] and down[1,1] and down[1,2] and right[2,1]";
  Real 'l[2,1]_5' "l[2,1] if right[1,1] and not down[1,1] and down[1,2] and right[2,1]";
  Real 'l[2,1]_6' "l[2,1] if not right[1,1] and not down[1,1] and down[1,2] and right[2,1]";
  Real 'l[2,1]_9' "l[2,1] if not right[1,1] and down[1,1] and not down[1,2] and right[2,1]";
  Real 'l[2,1]_10' "l[2,1] if right[1,1] and down[1,1] and not down[1,2] and right[2,1]";
  Real 'l[2,1]_12' "l[2,1] if not down[1,1] and not down[1,2] and right[2,1]";
  Real 'l[2,1]_17' "l[2,1] if right[1,1] and down[1,1] and down[1,2] and not right[2,1]";
  Real 'l[2,1]_18' "l[2,1] if not right[1,1] and down[1,1] and not right[2,1]";
  Real 'l[2,1]_19' "l[2,1] if right[1,1] and down[1,1] and not down[1,2] and not right[2,1]";
  Real 'l[2,1]_21' "l[2,1] if not (down[1,1] or right[2,1])";
  Real 'x[2,1]_0' "x[2,1] if right[1,1] and down[1,1] and down[1,2] and right[2,1]";
  Real 'x[2,1]_2' "x[2,1] if not right[1,1] and down[1,1] and down[1,2] and right[2,1]";
  Real 'x[2,1]_5' "x[2,1] if right[1,1] and not down[1,1] and down[1,2] and right[2,1]";
  Real 'x[2,1]_6' "x[2,1] if not right[1,1] and not down[1,1] and down[1,2] and right[2,1]";
  Real 'x[2,1]_9' "x[2,1] if not right[1,1] and down[1,1] and not down[1,2] and right[2,1]";
  Real 'x[2,1]_10' "x[2,1] if right[1,1] and down[1,1] and not down[1,2] and right[2,1]";
  Real 'x[2,1]_12' "x[2,1] if not down[1,1] and not down[1,2] and right[2,1]";
  Real 'x[2,1]_15' "x[2,1] if not right[2,1]";
  Real 'p[2,2]_0' "p[2,2] if right[1,1] and down[1,1] and down[1,2] and right[2,1]";
  Real 'p[2,2]_2' "p[2,2] if not right[1,1] and down[1,1] and down[1,2] and right[2,1]";
  Real 'p[2,2]_5' "p[2,2] if right[1,1] and not down[1,1] and down[1,2] and right[2,1]";
  Real 'p[2,2]_6' "p[2,2] if not right[1,1] and not down[1,1] and down[1,2] and right[2,1]";
  Real 'p[2,2]_9' "p[2,2] if not right[1,1] and down[1,1] and not down[1,2] and right[2,1]";
  Real 'p[2,2]_10' "p[2,2] if right[1,1] and down[1,1] and not down[1,2] and right[2,1]";
  Real 'p[2,2]_12' "p[2,2] if not down[1,1] and not down[1,2] and right[2,1]";
  Real 'p[2,2]_16' "p[2,2] if right[1,1] and not down[1,1] and down[1,2] and not right[2,1]";
  Real 'p[2,2]_17' "p[2,2] if right[1,1] and down[1,1] and down[1,2] and not right[2,1]";
  Real 'p[2,2]_20' "p[2,2] if not right[1,1] and down[1,2] and not right[2,1]";
  Real 'p[2,2]_24' "p[2,2] if not (down[1,2] or right[2,1])";
  Real 'l[2,2]_0' "l[2,2] if right[1,1] and down[1,1] and down[1,2] and right[2,1]";
  Real 'l[2,2]_2' "l[2,2] if not right[1,1] and down[1,1] and down[1,2] and right[2,1]";
  Real 'l[2,2]_5' "l[2,2] if right[1,1] and not down[1,1] and down[1,2] and right[2,1]";
  Real 'l[2,2]_6' "l[2,2] if not right[1,1] and not down[1,1] and down[1,2] and right[2,1]";
  Real 'l[2,2]_9' "l[2,2] if not right[1,1] and down[1,1] and not down[1,2] and right[2,1]";
  Real 'l[2,2]_10' "l[2,2] if right[1,1] and down[1,1] and not down[1,2] and right[2,1]";
  Real 'l[2,2]_12' "l[2,2] if not down[1,1] and not down[1,2] and right[2,1]";
  Real 'l[2,2]_16' "l[2,2] if right[1,1] and not down[1,1] and down[1,2] and not right[2,1]";
  Real 'l[2,2]_17' "l[2,2] if right[1,1] and down[1,1] and down[1,2] and not right[2,1]";
  Real 'l[2,2]_20' "l[2,2] if not right[1,1] and down[1,2] and not right[2,1]";
  Real 'l[2,2]_23' "l[2,2] if not (down[1,2] or right[2,1])";
equation
  // Multiplexing
  'p[1,1]' = if not ('right[1,1]' or 'down[1,1]') then 'p[1,1]_7' else if not ('down[1,1]' or 'down[1,2]') then 'p[1,1]_11' else if not ('right[1,1]' or 'right[2,1]') then 'p[1,1]_18' else if 'right[1,1]' and 'down[1,1]' and 'down[1,2]' and 'right[2,1]' then 'p[1,1]_0' else if not 'right[1,1]' and 'down[1,2]' then 'p[1,1]_2' else if not 'down[1,1]' and 'right[2,1]' then 'p[1,1]_5' else if 'right[1,1]' and 'right[2,1]' then 'p[1,1]_10' else if 'down[1,1]' and 'down[1,2]' then 'p[1,1]_17' else if not 'right[1,1]' then 'p[1,1]_9' else if not 'down[1,1]' then 'p[1,1]_16' else 'p[1,1]_19';
  'l[1,1]' = if not ('right[1,1]' or 'down[1,1]') then 'l[1,1]_4' else if not ('down[1,1]' or 'down[1,2]') then 'l[1,1]_11' else if not ('right[1,1]' or 'right[2,1]') then 'l[1,1]_18' else if 'right[1,1]' and 'down[1,1]' and 'down[1,2]' and 'right[2,1]' then 'l[1,1]_0' else if not 'right[1,1]' and 'down[1,2]' then 'l[1,1]_2' else if not 'down[1,1]' and 'right[2,1]' then 'l[1,1]_5' else if 'right[1,1]' and 'right[2,1]' then 'l[1,1]_10' else if 'down[1,1]' and 'down[1,2]' then 'l[1,1]_17' else if not 'right[1,1]' then 'l[1,1]_9' else if not 'down[1,1]' then 'l[1,1]_16' else 'l[1,1]_19';
  'x[1,1]' = if not 'right[1,1]' then 'x[1,1]_1' else if not ('down[1,1]' or 'down[1,2]') then 'x[1,1]_11' else if 'down[1,1]' and 'down[1,2]' and 'right[2,1]' then 'x[1,1]_0' else if not 'down[1,1]' and 'right[2,1]' then 'x[1,1]_5' else if 'right[2,1]' then 'x[1,1]_10' else if 'down[1,1]' and 'down[1,2]' then 'x[1,1]_17' else if not 'down[1,1]' then 'x[1,1]_16' else 'x[1,1]_19';
  'y[1,1]' = if not 'down[1,1]' then 'y[1,1]_3' else if not ('right[1,1]' or 'right[2,1]') then 'y[1,1]_18' else if 'right[1,1]' and 'down[1,2]' and 'right[2,1]' then 'y[1,1]_0' else if not 'right[1,1]' and 'down[1,2]' then 'y[1,1]_2' else if 'right[1,1]' and 'right[2,1]' then 'y[1,1]_10' else if 'down[1,2]' then 'y[1,1]_17' else if not 'right[1,1]' then 'y[1,1]_9' else 'y[1,1]_19';
  'p[1,2]' = if not ('right[1,1]' or 'down[1,2]') then 'p[1,2]_14' else if not ('down[1,1]' or 'down[1,2]') then 'p[1,2]_11' else if not ('right[1,1]' or 'right[2,1]') then 'p[1,2]_20' else if 'right[1,1]' and 'down[1,1]' and 'down[1,2]' and 'right[2,1]' then 'p[1,2]_0' else if not 'right[1,1]' and 'down[1,1]' then 'p[1,2]_2' else if 'right[1,1]' and not 'down[1,1]' and 'right[2,1]' then 'p[1,2]_5' else if 'right[1,1]' and 'right[2,1]' then 'p[1,2]_10' else if 'down[1,1]' and 'down[1,2]' then 'p[1,2]_17' else if not 'right[1,1]' then 'p[1,2]_6' else if not 'down[1,1]' then 'p[1,2]_16' else 'p[1,2]_19';
  'l[1,2]' = if not ('right[1,1]' or 'down[1,2]') then 'l[1,2]_13' else if not ('down[1,1]' or 'down[1,2]') then 'l[1,2]_11' else if not ('right[1,1]' or 'right[2,1]') then 'l[1,2]_20' else if 'right[1,1]' and 'down[1,1]' and 'down[1,2]' and 'right[2,1]' then 'l[1,2]_0' else if not 'right[1,1]' and 'down[1,1]' then 'l[1,2]_2' else if 'right[1,1]' and not 'down[1,1]' and 'right[2,1]' then 'l[1,2]_5' else if 'right[1,1]' and 'right[2,1]' then 'l[1,2]_10' else if 'down[1,1]' and 'down[1,2]' then 'l[1,2]_17' else if not 'right[1,1]' then 'l[1,2]_6' else if not 'down[1,1]' then 'l[1,2]_16' else 'l[1,2]_19';
  'y[1,2]' = if not 'down[1,2]' then 'y[1,2]_8' else if not ('right[1,1]' or 'right[2,1]') then 'y[1,2]_20' else if 'right[1,1]' and 'down[1,1]' and 'right[2,1]' then 'y[1,2]_0' else if not 'right[1,1]' and 'down[1,1]' then 'y[1,2]_2' else if 'right[1,1]' and 'right[2,1]' then 'y[1,2]_5' else if 'down[1,1]' then 'y[1,2]_17' else if not 'right[1,1]' then 'y[1,2]_6' else 'y[1,2]_16';
  'p[2,1]' = if not ('down[1,1]' or 'right[2,1]') then 'p[2,1]_22' else if not ('down[1,1]' or 'down[1,2]') then 'p[2,1]_12' else if not ('right[1,1]' or 'right[2,1]') then 'p[2,1]_18' else if 'right[1,1]' and 'down[1,1]' and 'down[1,2]' and 'right[2,1]' then 'p[2,1]_0' else if not 'right[1,1]' and 'down[1,1]' and 'down[1,2]' then 'p[2,1]_2' else if 'right[1,1]' and not 'down[1,1]' then 'p[2,1]_5' else if 'right[1,1]' and 'right[2,1]' then 'p[2,1]_10' else if 'right[1,1]' and 'down[1,2]' then 'p[2,1]_17' else if not 'down[1,1]' then 'p[2,1]_6' else if not 'right[1,1]' then 'p[2,1]_9' else 'p[2,1]_19';
  'l[2,1]' = if not ('down[1,1]' or 'right[2,1]') then 'l[2,1]_21' else if not ('down[1,1]' or 'down[1,2]') then 'l[2,1]_12' else if not ('right[1,1]' or 'right[2,1]') then 'l[2,1]_18' else if 'right[1,1]' and 'down[1,1]' and 'down[1,2]' and 'right[2,1]' then 'l[2,1]_0' else if not 'right[1,1]' and 'down[1,1]' and 'down[1,2]' then 'l[2,1]_2' else if 'right[1,1]' and not 'down[1,1]' then 'l[2,1]_5' else if 'right[1,1]' and 'right[2,1]' then 'l[2,1]_10' else if 'right[1,1]' and 'down[1,2]' then 'l[2,1]_17' else if not 'down[1,1]' then 'l[2,1]_6' else if not 'right[1,1]' then 'l[2,1]_9' else 'l[2,1]_19';
  'x[2,1]' = if not 'right[2,1]' then 'x[2,1]_15' else if not ('down[1,1]' or 'down[1,2]') then 'x[2,1]_12' else if 'right[1,1]' and 'down[1,1]' and 'down[1,2]' then 'x[2,1]_0' else if 'down[1,1]' and 'down[1,2]' then 'x[2,1]_2' else if 'right[1,1]' and not 'down[1,1]' then 'x[2,1]_5' else if 'right[1,1]' then 'x[2,1]_10' else if not 'down[1,1]' then 'x[2,1]_6' else 'x[2,1]_9';
  'p[2,2]' = if not ('down[1,2]' or 'right[2,1]') then 'p[2,2]_24' else if not ('down[1,1]' or 'down[1,2]') then 'p[2,2]_12' else if not ('right[1,1]' or 'right[2,1]') then 'p[2,2]_20' else if 'right[1,1]' and 'down[1,1]' and 'down[1,2]' and 'right[2,1]' then 'p[2,2]_0' else if not 'right[1,1]' and 'down[1,1]' and 'down[1,2]' then 'p[2,2]_2' else if 'right[1,1]' and not 'down[1,1]' and 'right[2,1]' then 'p[2,2]_5' else if 'right[1,1]' and not 'down[1,2]' then 'p[2,2]_10' else if 'right[1,1]' and 'down[1,1]' then 'p[2,2]_17' else if not ('right[1,1]' or 'down[1,1]') then 'p[2,2]_6' else if not 'right[1,1]' then 'p[2,2]_9' else 'p[2,2]_16';
  'l[2,2]' = if not ('down[1,2]' or 'right[2,1]') then 'l[2,2]_23' else if not ('down[1,1]' or 'down[1,2]') then 'l[2,2]_12' else if not ('right[1,1]' or 'right[2,1]') then 'l[2,2]_20' else if 'right[1,1]' and 'down[1,1]' and 'down[1,2]' and 'right[2,1]' then 'l[2,2]_0' else if not 'right[1,1]' and 'down[1,1]' and 'down[1,2]' then 'l[2,2]_2' else if 'right[1,1]' and not 'down[1,1]' and 'right[2,1]' then 'l[2,2]_5' else if 'right[1,1]' and not 'down[1,2]' then 'l[2,2]_10' else if 'right[1,1]' and 'down[1,1]' then 'l[2,2]_17' else if not ('right[1,1]' or 'down[1,1]') then 'l[2,2]_6' else if not 'right[1,1]' then 'l[2,2]_9' else 'l[2,2]_16';
  // Block right[1,1] and down[1,1] and down[1,2] and right[2,1]: bal[1,1] leak[1,1] ropn[1,1] dopn[1,1] bal[1,2] leak[1,2] dopn[1,2] bal[2,1] leak[2,1] ropn[2,1] bal[2,2] leak[2,2] -> p[1,1] l[1,1] x[1,1] y[1,1] p[1,2] l[1,2] y[1,2] p[2,1] l[2,1] x[2,1] p[2,2] l[2,2]
  s = 'x[1,1]_0' + 'y[1,1]_0' + 'l[1,1]_0';
  'l[1,1]_0' = g*'p[1,1]_0';
  'x[1,1]_0' = h*('p[1,1]_0' - 'p[1,2]_0');
  'y[1,1]_0' = h*('p[1,1]_0' - 'p[2,1]_0');
  'x[1,1]_0' = 'y[1,2]_0' + 'l[1,2]_0';
  'l[1,2]_0' = g*'p[1,2]_0';
  'y[1,2]_0' = h*('p[1,2]_0' - 'p[2,2]_0');
  'y[1,1]_0' = 'x[2,1]_0' + 'l[2,1]_0';
  'l[2,1]_0' = g*'p[2,1]_0';
  'x[2,1]_0' = h*('p[2,1]_0' - 'p[2,2]_0');
  'x[2,1]_0' + 'y[1,2]_0' = 'l[2,2]_0';
  'l[2,2]_0' = g*'p[2,2]_0';
  // Block not right[1,1]: rcls[1,1] -> x[1,1]
  'x[1,1]_1' = 0;
  // Block not right[1,1] and down[1,1] and down[1,2] and right[2,1]: x[1,1] -- bal[1,1] leak[1,1] dopn[1,1] bal[1,2] leak[1,2] dopn[1,2] bal[2,1] leak[2,1] ropn[2,1] bal[2,2] leak[2,2] -> p[1,1] l[1,1] y[1,1] p[1,2] l[1,2] y[1,2] p[2,1] l[2,1] x[2,1] p[2,2] l[2,2]
  s = 'x[1,1]_1' + 'y[1,1]_2' + 'l[1,1]_2';
  'l[1,1]_2' = g*'p[1,1]_2';
  'y[1,1]_2' = h*('p[1,1]_2' - 'p[2,1]_2');
  'x[1,1]_1' = 'y[1,2]_2' + 'l[1,2]_2';
  'l[1,2]_2' = g*'p[1,2]_2';
  'y[1,2]_2' = h*('p[1,2]_2' - 'p[2,2]_2');
  'y[1,1]_2' = 'x[2,1]_2' + 'l[2,1]_2';
  'l[2,1]_2' = g*'p[2,1]_2';
  'x[2,1]_2' = h*('p[2,1]_2' - 'p[2,2]_2');
  'x[2,1]_2' + 'y[1,2]_2' = 'l[2,2]_2';
  'l[2,2]_2' = g*'p[2,2]_2';
  // Block not down[1,1]: dcls[1,1] -> y[1,1]
  'y[1,1]_3' = 0;
  // Block not (right[1,1] or down[1,1]): x[1,1] y[1,1] -- bal[1,1] -> l[1,1]
  'l[1,1]_4' = s - 'x[1,1]_1' - 'y[1,1]_3';
  // Block right[1,1] and not down[1,1] and down[1,2] and right[2,1]: y[1,1] -- bal[1,1] leak[1,1] ropn[1,1] bal[1,2] leak[1,2] dopn[1,2] bal[2,1] leak[2,1] ropn[2,1] bal[2,2] leak[2,2] -> p[1,1] l[1,1] x[1,1] p[1,2] l[1,2] y[1,2] p[2,1] l[2,1] x[2,1] p[2,2] l[2,2]
  s = 'x[1,1]_5' + 'y[1,1]_3' + 'l[1,1]_5';
  'l[1,1]_5' = g*'p[1,1]_5';
  'x[1,1]_5' = h*('p[1,1]_5' - 'p[1,2]_5');
  'x[1,1]_5' = 'y[1,2]_5' + 'l[1,2]_5';
  'l[1,2]_5' = g*'p[1,2]_5';
  'y[1,2]_5' = h*('p[1,2]_5' - 'p[2,2]_5');
  'y[1,1]_3' = 'x[2,1]_5' + 'l[2,1]_5';
  'l[2,1]_5' = g*'p[2,1]_5';
  'x[2,1]_5' = h*('p[2,1]_5' - 'p[2,2]_5');
  'x[2,1]_5' + 'y[1,2]_5' = 'l[2,2]_5';
  'l[2,2]_5' = g*'p[2,2]_5';
  // Block not right[1,1] and not down[1,1] and down[1,2] and right[2,1]: x[1,1] y[1,1] -- bal[1,2] leak[1,2] dopn[1,2] bal[2,1] leak[2,1] ropn[2,1] bal[2,2] leak[2,2] -> p[1,2] l[1,2] y[1,2] p[2,1] l[2,1] x[2,1] p[2,2] l[2,2]
  'x[1,1]_1' = 'y[1,2]_6' + 'l[1,2]_6';
  'l[1,2]_6' = g*'p[1,2]_6';
  'y[1,2]_6' = h*('p[1,2]_6' - 'p[2,2]_6');
  'y[1,1]_3' = 'x[2,1]_6' + 'l[2,1]_6';
  'l[2,1]_6' = g*'p[2,1]_6';
  'x[2,1]_6' = h*('p[2,1]_6' - 'p[2,2]_6');
  'x[2,1]_6' + 'y[1,2]_6' = 'l[2,2]_6';
  'l[2,2]_6' = g*'p[2,2]_6';
  // Block not (right[1,1] or down[1,1]): l[1,1] -- leak[1,1] -> p[1,1]
  'l[1,1]_4' = g*'p[1,1]_7';
  // Block not down[1,2]: dcls[1,2] -> y[1,2]
  'y[1,2]_8' = 0;
  // Block not right[1,1] and down[1,1] and not down[1,2] and right[2,1]: x[1,1] y[1,2] -- bal[1,1] leak[1,1] dopn[1,1] bal[2,1] leak[2,1] ropn[2,1] bal[2,2] leak[2,2] -> p[1,1] l[1,1] y[1,1] p[2,1] l[2,1] x[2,1] p[2,2] l[2,2]
  s = 'x[1,1]_1' + 'y[1,1]_9' + 'l[1,1]_9';
  'l[1,1]_9' = g*'p[1,1]_9';
  'y[1,1]_9' = h*('p[1,1]_9' - 'p[2,1]_9');
  'y[1,1]_9' = 'x[2,1]_9' + 'l[2,1]_9';
  'l[2,1]_9' = g*'p[2,1]_9';
  'x[2,1]_9' = h*('p[2,1]_9' - 'p[2,2]_9');
  'x[2,1]_9' + 'y[1,2]_8' = 'l[2,2]_9';
  'l[2,2]_9' = g*'p[2,2]_9';
  // Block right[1,1] and down[1,1] and not down[1,2] and right[2,1]: y[1,2] -- bal[1,1] leak[1,1] ropn[1,1] dopn[1,1] bal[1,2] leak[1,2] bal[2,1] leak[2,1] ropn[2,1] bal[2,2] leak[2,2] -> p[1,1] l[1,1] x[1,1] y[1,1] p[1,2] l[1,2] p[2,1] l[2,1] x[2,1] p[2,2] l[2,2]
  s = 'x[1,1]_10' + 'y[1,1]_10' + 'l[1,1]_10';
  'l[1,1]_10' = g*'p[1,1]_10';
  'x[1,1]_10' = h*('p[1,1]_10' - 'p[1,2]_10');
  'y[1,1]_10' = h*('p[1,1]_10' - 'p[2,1]_10');
  'x[1,1]_10' = 'y[1,2]_8' + 'l[1,2]_10';
  'l[1,2]_10' = g*'p[1,2]_10';
  'y[1,1]_10' = 'x[2,1]_10' + 'l[2,1]_10';
  'l[2,1]_10' = g*'p[2,1]_10';
  'x[2,1]_10' = h*('p[2,1]_10' - 'p[2,2]_10');
  'x[2,1]_10' + 'y[1,2]_8' = 'l[2,2]_10';
  'l[2,2]_10' = g*'p[2,2]_10';
  // Block right[1,1] and not down[1,1] and not down[1,2]: y[1,1] y[1,2] -- bal[1,1] leak[1,1] ropn[1,1] bal[1,2] leak[1,2] -> p[1,1] l[1,1] x[1,1] p[1,2] l[1,2]
  s = 'x[1,1]_11' + 'y[1,1]_3' + 'l[1,1]_11';
  'l[1,1]_11' = g*'p[1,1]_11';
  'x[1,1]_11' = h*('p[1,1]_11' - 'p[1,2]_11');
  'x[1,1]_11' = 'y[1,2]_8' + 'l[1,2]_11';
  'l[1,2]_11' = g*'p[1,2]_11';
  // Block not down[1,1] and not down[1,2] and right[2,1]: y[1,1] y[1,2] -- bal[2,1] leak[2,1] ropn[2,1] bal[2,2] leak[2,2] -> p[2,1] l[2,1] x[2,1] p[2,2] l[2,2]
  'y[1,1]_3' = 'x[2,1]_12' + 'l[2,1]_12';
  'l[2,1]_12' = g*'p[2,1]_12';
  'x[2,1]_12' = h*('p[2,1]_12' - 'p[2,2]_12');
  'x[2,1]_12' + 'y[1,2]_8' = 'l[2,2]_12';
  'l[2,2]_12' = g*'p[2,2]_12';
  // Block not (right[1,1] or down[1,2]): x[1,1] y[1,2] -- bal[1,2] -> l[1,2]
  'l[1,2]_13' = 'x[1,1]_1' - 'y[1,2]_8';
  // Block not (right[1,1] or down[1,2]): l[1,2] -- leak[1,2] -> p[1,2]
  'l[1,2]_13' = g*'p[1,2]_14';
  // Block not right[2,1]: rcls[2,1] -> x[2,1]
  'x[2,1]_15' = 0;
  // Block right[1,1] and not down[1,1] and down[1,2] and not right[2,1]: y[1,1] x[2,1] -- bal[1,1] leak[1,1] ropn[1,1] bal[1,2] leak[1,2] dopn[1,2] bal[2,2] leak[2,2] -> p[1,1] l[1,1] x[1,1] p[1,2] l[1,2] y[1,2] p[2,2] l[2,2]
  s = 'x[1,1]_16' + 'y[1,1]_3' + 'l[1,1]_16';
  'l[1,1]_16' = g*'p[1,1]_16';
  'x[1,1]_16' = h*('p[1,1]_16' - 'p[1,2]_16');
  'x[1,1]_16' = 'y[1,2]_16' + 'l[1,2]_16';
  'l[1,2]_16' = g*'p[1,2]_16';
  'y[1,2]_16' = h*('p[1,2]_16' - 'p[2,2]_16');
  'x[2,1]_15' + 'y[1,2]_16' = 'l[2,2]_16';
  'l[2,2]_16' = g*'p[2,2]_16';
  // Block right[1,1] and down[1,1] and down[1,2] and not right[2,1]: x[2,1] -- bal[1,1] leak[1,1] ropn[1,1] dopn[1,1] bal[1,2] leak[1,2] dopn[1,2] bal[2,1] leak[2,1] bal[2,2] leak[2,2] -> p[1,1] l[1,1] x[1,1] y[1,1] p[1,2] l[1,2] y[1,2] p[2,1] l[2,1] p[2,2] l[2,2]
  s = 'x[1,1]_17' + 'y[1,1]_17' + 'l[1,1]_17';
  'l[1,1]_17' = g*'p[1,1]_17';
  'x[1,1]_17' = h*('p[1,1]_17' - 'p[1,2]_17');
  'y[1,1]_17' = h*('p[1,1]_17' - 'p[2,1]_17');
  'x[1,1]_17' = 'y[1,2]_17' + 'l[1,2]_17';
  'l[1,2]_17' = g*'p[1,2]_17';
  'y[1,2]_17' = h*('p[1,2]_17' - 'p[2,2]_17');
  'y[1,1]_17' = 'x[2,1]_15' + 'l[2,1]_17';
  'l[2,1]_17' = g*'p[2,1]_17';
  'x[2,1]_15' + 'y[1,2]_17' = 'l[2,2]_17';
  'l[2,2]_17' = g*'p[2,2]_17';
  // Block not right[1,1] and down[1,1] and not right[2,1]: x[1,1] x[2,1] -- bal[1,1] leak[1,1] dopn[1,1] bal[2,1] leak[2,1] -> p[1,1] l[1,1] y[1,1] p[2,1] l[2,1]
  s = 'x[1,1]_1' + 'y[1,1]_18' + 'l[1,1]_18';
  'l[1,1]_18' = g*'p[1,1]_18';
  'y[1,1]_18' = h*('p[1,1]_18' - 'p[2,1]_18');
  'y[1,1]_18' = 'x[2,1]_15' + 'l[2,1]_18';
  'l[2,1]_18' = g*'p[2,1]_18';
  // Block right[1,1] and down[1,1] and not down[1,2] and not right[2,1]: y[1,2] x[2,1] -- bal[1,1] leak[1,1] ropn[1,1] dopn[1,1] bal[1,2] leak[1,2] bal[2,1] leak[2,1] -> p[1,1] l[1,1] x[1,1] y[1,1] p[1,2] l[1,2] p[2,1] l[2,1]
  s = 'x[1,1]_19' + 'y[1,1]_19' + 'l[1,1]_19';
  'l[1,1]_19' = g*'p[1,1]_19';
  'x[1,1]_19' = h*('p[1,1]_19' - 'p[1,2]_19');
  'y[1,1]_19' = h*('p[1,1]_19' - 'p[2,1]_19');
  'x[1,1]_19' = 'y[1,2]_8' + 'l[1,2]_19';
  'l[1,2]_19' = g*'p[1,2]_19';
  'y[1,1]_19' = 'x[2,1]_15' + 'l[2,1]_19';
  'l[2,1]_19' = g*'p[2,1]_19';
  // Block not right[1,1] and down[1,2] and not right[2,1]: x[1,1] x[2,1] -- bal[1,2] leak[1,2] dopn[1,2] bal[2,2] leak[2,2] -> p[1,2] l[1,2] y[1,2] p[2,2] l[2,2]
  'x[1,1]_1' = 'y[1,2]_20' + 'l[1,2]_20';
  'l[1,2]_20' = g*'p[1,2]_20';
  'y[1,2]_20' = h*('p[1,2]_20' - 'p[2,2]_20');
  'x[2,1]_15' + 'y[1,2]_20' = 'l[2,2]_20';
  'l[2,2]_20' = g*'p[2,2]_20';
  // Block not (down[1,1] or right[2,1]): y[1,1] x[2,1] -- bal[2,1] -> l[2,1]
  'l[2,1]_21' = 'y[1,1]_3' - 'x[2,1]_15';
  // Block not (down[1,1] or right[2,1]): l[2,1] -- leak[2,1] -> p[2,1]
  'l[2,1]_21' = g*'p[2,1]_22';
  // Block not (down[1,2] or right[2,1]): y[1,2] x[2,1] -- bal[2,2] -> l[2,2]
  'l[2,2]_23' = 'x[2,1]_15' + 'y[1,2]_8';
  // Block not (down[1,2] or right[2,1]): l[2,2] -- leak[2,2] -> p[2,2]
  'l[2,2]_23' = g*'p[2,2]_24';
end ValveGridRIMIS;
