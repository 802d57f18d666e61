model TwoEquationsRIMIS
  // TwoEquations with a structure that does not depend on the mode, written by `modeshift rimis`.
  // `x_p` is the derivative of `x`; `x_3` is `x` as block 3 gives it, in the modes of that block. All blocks are
  // evaluated in all modes; under "Multiplexing", the mode says whose value counts.
  // Variables
  Real x;
  Boolean p(start = false, fixed = true);
  // Replicates
  Real x_0(start = 0, fixed = true) "x if not p";
  Real x_1 "x if p";
  Real x_p_0 "x' if not p";
equation
  // Mode equations
  p = x >= 1;
  // Differential equations
  der(x_0) = x_p_0;
  // Multiplexing
  x = if p then x_1 else x_0;
  // Block not p: e -> x'
  x_p_0 = 1;
  // Block p: e -> x
  x_1 = 1;
  // Reinitialisations
  when not p then
    reinit(x_0, pre(x));
  end when;
  annotation (experiment(StopTime = 2));
end TwoEquationsRIMIS;
