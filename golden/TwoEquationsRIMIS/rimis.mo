model TwoEquationsRIMISRIMIS
  // TwoEquationsRIMIS with a structure that does not depend on the mode, written by `modeshift rimis`.
  // `x_p` is the derivative of `x`; `x_3` is `x` as block 3 gives it, in the modes of that block. All blocks are
  // evaluated in all modes; under "Multiplexing", the mode says whose value counts.
  // Guards are looked at in the mode that is left: `b_next` is what the guard of `b` asks for,
  // `b = pre(b_next)` is in force, and the event iteration goes on until both agree.
  // A guard that depends on the mode has to go beyond its bound by `hysteresis`: without it,
  // rounding would decide at the bound, and a mode could be left and entered without end.
  // Parameters and constants
  parameter Real hysteresis = 1e-9 "how far a guard goes beyond its bound before the mode changes";
  // Variables
  Real x;
  Boolean p;
  Real x_2;
  Real x_p_3;
  Real x_3(start = 0, fixed = true);
  // Modes
  Boolean p_next(start = false, fixed = true) "what the guard of p asks for";
  // Derivatives
  Real x_3_p "x_3'";
  // Replicates
  Real x_0 "x if not p";
  Real x_4 "x if p";
equation
  // Mode equations
  p_next = if p then x >= 1 - hysteresis else x > 1 + hysteresis;
  p = pre(p_next);
  // Differential equations
  der(x_3) = x_3_p;
  // Multiplexing
  x = if p then x_4 else x_0;
  // Block not p: x_3 -- e2 -> x
  x_0 = x_3;
  // Block e_3 -> x_p_3
  x_p_3 = 1;
  // Block x_p_3 -- e1 -> x_3'
  x_3_p = x_p_3;
  // Block e_2 -> x_2
  x_2 = 1;
  // Block p: x_2 -- e2 -> x
  x_4 = x_2;
  // Reinitialisations
  when not p then
    reinit(x_3, pre(x));
  end when;
  annotation (experiment(StopTime = 2));
end TwoEquationsRIMISRIMIS;
