model ClutchChainRIMIS
  // ClutchChain with a structure that does not depend on the mode, written by `modeshift rimis`.
  // `x_p` is the derivative of `x`; `x_3` is `x` as block 3 gives it, in the modes of that block. All blocks are
  // evaluated in all modes; under "Multiplexing", the mode says whose value counts.
  // Parameters and constants
  constant Integer N = 4;
  parameter Real J = 1;
  // Variables
  Real 'w[1]'(start = 1, fixed = true) "angular velocities";
  Real 'w[2]'(start = 2, fixed = true) "angular velocities";
  Real 'w[3]'(start = 3, fixed = true) "angular velocities";
  Real 'w[4]'(start = 4, fixed = true) "angular velocities";
  Real 'f[1]' "torques in the clutches";
  Real 'f[2]' "torques in the clutches";
  Real 'f[3]' "torques in the clutches";
  Boolean 'engaged[1]';
  Boolean 'engaged[2]';
  Boolean 'engaged[3]';
  // Derivatives
  Real 'w[1]_p' "w[1]'";
  Real 'w[2]_p' "w[2]'";
  Real 'w[3]_p' "w[3]'";
  Real 'w[4]_p' "w[4]'";
  // Replicates
  Real 'w[1]_p_0' "w[1]' if engaged[1] and engaged[2] and engaged[3]";
  Real 'w[1]_p_2' "w[1]' if not engaged[1]";
  Real 'w[1]_p_5' "w[1]' if engaged[1] and not engaged[2]";
  Real 'w[1]_p_9' "w[1]' if engaged[1] and engaged[2] and not engaged[3]";
  Real 'w[2]_p_0' "w[2]' if engaged[1] and engaged[2] and engaged[3]";
  Real 'w[2]_p_3' "w[2]' if not engaged[1] and engaged[2] and engaged[3]";
  Real 'w[2]_p_5' "w[2]' if engaged[1] and not engaged[2]";
  Real 'w[2]_p_7' "w[2]' if not (engaged[1] or engaged[2])";
  Real 'w[2]_p_9' "w[2]' if engaged[1] and engaged[2] and not engaged[3]";
  Real 'w[2]_p_10' "w[2]' if not engaged[1] and engaged[2] and not engaged[3]";
  Real 'w[3]_p_0' "w[3]' if engaged[1] and engaged[2] and engaged[3]";
  Real 'w[3]_p_3' "w[3]' if not engaged[1] and engaged[2] and engaged[3]";
  Real 'w[3]_p_6' "w[3]' if not engaged[2] and engaged[3]";
  Real 'w[3]_p_9' "w[3]' if engaged[1] and engaged[2] and not engaged[3]";
  Real 'w[3]_p_10' "w[3]' if not engaged[1] and engaged[2] and not engaged[3]";
  Real 'w[3]_p_11' "w[3]' if not (engaged[2] or engaged[3])";
  Real 'w[4]_p_0' "w[4]' if engaged[1] and engaged[2] and engaged[3]";
  Real 'w[4]_p_3' "w[4]' if not engaged[1] and engaged[2] and engaged[3]";
  Real 'w[4]_p_6' "w[4]' if not engaged[2] and engaged[3]";
  Real 'w[4]_p_12' "w[4]' if not engaged[3]";
  Real 'f[1]_0' "f[1] if engaged[1] and engaged[2] and engaged[3]";
  Real 'f[1]_1' "f[1] if not engaged[1]";
  Real 'f[1]_5' "f[1] if engaged[1] and not engaged[2]";
  Real 'f[1]_9' "f[1] if engaged[1] and engaged[2] and not engaged[3]";
  Real 'f[2]_0' "f[2] if engaged[1] and engaged[2] and engaged[3]";
  Real 'f[2]_3' "f[2] if not engaged[1] and engaged[2] and engaged[3]";
  Real 'f[2]_4' "f[2] if not engaged[2]";
  Real 'f[2]_9' "f[2] if engaged[1] and engaged[2] and not engaged[3]";
  Real 'f[2]_10' "f[2] if not engaged[1] and engaged[2] and not engaged[3]";
  Real 'f[3]_0' "f[3] if engaged[1] and engaged[2] and engaged[3]";
  Real 'f[3]_3' "f[3] if not engaged[1] and engaged[2] and engaged[3]";
  Real 'f[3]_6' "f[3] if not engaged[2] and engaged[3]";
  Real 'f[3]_8' "f[3] if not engaged[3]";
equation
  // Mode equations
  'engaged[1]' = time >= 1;
  'engaged[2]' = time >= 2;
  'engaged[3]' = time >= 3;
  // Differential equations
  der('w[1]') = 'w[1]_p';
  der('w[2]') = 'w[2]_p';
  der('w[3]') = 'w[3]_p';
  der('w[4]') = 'w[4]_p';
  // Multiplexing
  'w[1]_p' = if not 'engaged[1]' then 'w[1]_p_2' else if not 'engaged[2]' then 'w[1]_p_5' else if 'engaged[3]' then 'w[1]_p_0' else 'w[1]_p_9';
  'w[2]_p' = if 'engaged[1]' and not 'engaged[2]' then 'w[2]_p_5' else if not 'engaged[2]' then 'w[2]_p_7' else if 'engaged[1]' and 'engaged[3]' then 'w[2]_p_0' else if 'engaged[3]' then 'w[2]_p_3' else if 'engaged[1]' then 'w[2]_p_9' else 'w[2]_p_10';
  'w[3]_p' = if not 'engaged[2]' and 'engaged[3]' then 'w[3]_p_6' else if not 'engaged[2]' then 'w[3]_p_11' else if 'engaged[1]' and 'engaged[3]' then 'w[3]_p_0' else if 'engaged[3]' then 'w[3]_p_3' else if 'engaged[1]' then 'w[3]_p_9' else 'w[3]_p_10';
  'w[4]_p' = if not 'engaged[3]' then 'w[4]_p_12' else if not 'engaged[2]' then 'w[4]_p_6' else if 'engaged[1]' then 'w[4]_p_0' else 'w[4]_p_3';
  'f[1]' = if not 'engaged[1]' then 'f[1]_1' else if not 'engaged[2]' then 'f[1]_5' else if 'engaged[3]' then 'f[1]_0' else 'f[1]_9';
  'f[2]' = if not 'engaged[2]' then 'f[2]_4' else if 'engaged[1]' and 'engaged[3]' then 'f[2]_0' else if 'engaged[3]' then 'f[2]_3' else if 'engaged[1]' then 'f[2]_9' else 'f[2]_10';
  'f[3]' = if not 'engaged[3]' then 'f[3]_8' else if not 'engaged[2]' then 'f[3]_6' else if 'engaged[1]' then 'f[3]_0' else 'f[3]_3';
  // Block engaged[1] and engaged[2] and engaged[3]: first mass[2] mass[3] last rigid[1]' rigid[2]' rigid[3]' -> w[1]' w[2]' w[3]' w[4]' f[1] f[2] f[3]
  J*'w[1]_p_0' = -'f[1]_0';
  J*'w[2]_p_0' = 'f[1]_0' - 'f[2]_0';
  J*'w[3]_p_0' = 'f[2]_0' - 'f[3]_0';
  J*'w[4]_p_0' = 'f[3]_0';
  'w[1]_p_0' = 'w[2]_p_0';
  'w[2]_p_0' = 'w[3]_p_0';
  'w[3]_p_0' = 'w[4]_p_0';
  // Block not engaged[1]: free[1] -> f[1]
  'f[1]_1' = 0;
  // Block not engaged[1]: f[1] -- first -> w[1]'
  J*'w[1]_p_2' = -'f[1]_1';
  // Block not engaged[1] and engaged[2] and engaged[3]: f[1] -- mass[2] mass[3] last rigid[2]' rigid[3]' -> w[2]' w[3]' w[4]' f[2] f[3]
  J*'w[2]_p_3' = 'f[1]_1' - 'f[2]_3';
  J*'w[3]_p_3' = 'f[2]_3' - 'f[3]_3';
  J*'w[4]_p_3' = 'f[3]_3';
  'w[2]_p_3' = 'w[3]_p_3';
  'w[3]_p_3' = 'w[4]_p_3';
  // Block not engaged[2]: free[2] -> f[2]
  'f[2]_4' = 0;
  // Block engaged[1] and not engaged[2]: f[2] -- first mass[2] rigid[1]' -> w[1]' w[2]' f[1]
  J*'w[1]_p_5' = -'f[1]_5';
  J*'w[2]_p_5' = 'f[1]_5' - 'f[2]_4';
  'w[1]_p_5' = 'w[2]_p_5';
  // Block not engaged[2] and engaged[3]: f[2] -- mass[3] last rigid[3]' -> w[3]' w[4]' f[3]
  J*'w[3]_p_6' = 'f[2]_4' - 'f[3]_6';
  J*'w[4]_p_6' = 'f[3]_6';
  'w[3]_p_6' = 'w[4]_p_6';
  // Block not (engaged[1] or engaged[2]): f[1] f[2] -- mass[2] -> w[2]'
  J*'w[2]_p_7' = 'f[1]_1' - 'f[2]_4';
  // Block not engaged[3]: free[3] -> f[3]
  'f[3]_8' = 0;
  // Block engaged[1] and engaged[2] and not engaged[3]: f[3] -- first mass[2] mass[3] rigid[1]' rigid[2]' -> w[1]' w[2]' w[3]' f[1] f[2]
  J*'w[1]_p_9' = -'f[1]_9';
  J*'w[2]_p_9' = 'f[1]_9' - 'f[2]_9';
  J*'w[3]_p_9' = 'f[2]_9' - 'f[3]_8';
  'w[1]_p_9' = 'w[2]_p_9';
  'w[2]_p_9' = 'w[3]_p_9';
  // Block not engaged[1] and engaged[2] and not engaged[3]: f[1] f[3] -- mass[2] mass[3] rigid[2]' -> w[2]' w[3]' f[2]
  J*'w[2]_p_10' = 'f[1]_1' - 'f[2]_10';
  J*'w[3]_p_10' = 'f[2]_10' - 'f[3]_8';
  'w[2]_p_10' = 'w[3]_p_10';
  // Block not (engaged[2] or engaged[3]): f[2] f[3] -- mass[3] -> w[3]'
  J*'w[3]_p_11' = 'f[2]_4' - 'f[3]_8';
  // Block not engaged[3]: f[3] -- last -> w[4]'
  J*'w[4]_p_12' = 'f[3]_8';
  // Reinitialisations
  when not pre('engaged[1]') and 'engaged[1]' and not 'engaged[2]' then
    reinit('w[1]', (J*pre('w[2]') + J*pre('w[1]'))/(J + J));
  elsewhen not (pre('engaged[1]') and pre('engaged[2]')) and 'engaged[1]' and 'engaged[2]' and not 'engaged[3]' then
    reinit('w[1]', (J*pre('w[2]') + J*pre('w[1]') + J*pre('w[3]'))/(J + (J + J)));
  elsewhen 'engaged[1]' and 'engaged[2]' and 'engaged[3]' then
    reinit('w[1]', (J*pre('w[3]') + J*pre('w[4]') + (J*pre('w[2]') + J*pre('w[1]')))/(J + (J + (J + J))));
  end when;
  when not pre('engaged[1]') and 'engaged[1]' and not 'engaged[2]' then
    reinit('w[2]', (J*pre('w[2]') + J*pre('w[1]'))/(J + J));
  elsewhen not (pre('engaged[1]') and pre('engaged[2]')) and 'engaged[1]' and 'engaged[2]' and not 'engaged[3]' then
    reinit('w[2]', (J*pre('w[2]') + J*pre('w[1]') + J*pre('w[3]'))/(J + (J + J)));
  elsewhen not ('engaged[1]' or pre('engaged[2]') or not 'engaged[2]' or 'engaged[3]') then
    reinit('w[2]', (J*pre('w[3]') + J*pre('w[2]'))/(J + J));
  elsewhen 'engaged[1]' and 'engaged[2]' and 'engaged[3]' then
    reinit('w[2]', (J*pre('w[3]') + J*pre('w[4]') + (J*pre('w[2]') + J*pre('w[1]')))/(J + (J + (J + J))));
  elsewhen not 'engaged[1]' and not (pre('engaged[2]') and pre('engaged[3]')) and 'engaged[2]' and 'engaged[3]' then
    reinit('w[2]', (J*pre('w[3]') + J*pre('w[2]') + J*pre('w[4]'))/(J + (J + J)));
  end when;
  when not (pre('engaged[1]') and pre('engaged[2]')) and 'engaged[1]' and 'engaged[2]' and not 'engaged[3]' then
    reinit('w[3]', (J*pre('w[2]') + J*pre('w[1]') + J*pre('w[3]'))/(J + (J + J)));
  elsewhen not ('engaged[1]' or pre('engaged[2]') or not 'engaged[2]' or 'engaged[3]') then
    reinit('w[3]', (J*pre('w[3]') + J*pre('w[2]'))/(J + J));
  elsewhen 'engaged[1]' and 'engaged[2]' and 'engaged[3]' then
    reinit('w[3]', (J*pre('w[3]') + J*pre('w[4]') + (J*pre('w[2]') + J*pre('w[1]')))/(J + (J + (J + J))));
  elsewhen not 'engaged[1]' and not (pre('engaged[2]') and pre('engaged[3]')) and 'engaged[2]' and 'engaged[3]' then
    reinit('w[3]', (J*pre('w[3]') + J*pre('w[2]') + J*pre('w[4]'))/(J + (J + J)));
  elsewhen not 'engaged[2]' and not pre('engaged[3]') and 'engaged[3]' then
    reinit('w[3]', (J*pre('w[4]') + J*pre('w[3]'))/(J + J));
  end when;
  when 'engaged[1]' and 'engaged[2]' and 'engaged[3]' then
    reinit('w[4]', (J*pre('w[3]') + J*pre('w[4]') + (J*pre('w[2]') + J*pre('w[1]')))/(J + (J + (J + J))));
  elsewhen not 'engaged[1]' and not (pre('engaged[2]') and pre('engaged[3]')) and 'engaged[2]' and 'engaged[3]' then
    reinit('w[4]', (J*pre('w[3]') + J*pre('w[2]') + J*pre('w[4]'))/(J + (J + J)));
  elsewhen not 'engaged[2]' and not pre('engaged[3]') and 'engaged[3]' then
    reinit('w[4]', (J*pre('w[4]') + J*pre('w[3]'))/(J + J));
  end when;
  annotation (experiment(StopTime = 5));
end ClutchChainRIMIS;
