model DiodeInductorRIMIS
  // DiodeInductor with a structure that does not depend on the mode, written by `modeshift rimis`.
  // `x_p` is the derivative of `x`; `x_3` is `x` as block 3 gives it, in the modes of that block. All blocks are
  // evaluated in all modes; under "Multiplexing", the mode says whose value counts.
  // Guards are looked at in the mode that is left: `b_next` is what the guard of `b` asks for,
  // `b = pre(b_next)` is in force, and the event iteration goes on until both agree.
  // A guard that depends on the mode has to go beyond its bound by `hysteresis`: without it,
  // rounding would decide at the bound, and a mode could be left and entered without end.
  // Parameters and constants
  parameter Real V = 1;
  parameter Real R = 1;
  parameter Real L = 1;
  parameter Real hysteresis = 1e-9 "how far a guard goes beyond its bound before the mode changes";
  // Variables
  Real i(start = 0, fixed = true) "current through all";
  Real uL "voltage of the inductor";
  Real uD "voltage of the diode, not positive";
  Real s "parameter of the diode's curve";
  Boolean closed "the diode conducts";
  // Modes
  Boolean closed_next(start = true, fixed = true) "what the guard of closed asks for";
  // Derivatives
  Real i_p "i'";
  // Replicates
  Real i_p_2 "i' if closed";
  Real i_p_4 "i' if not closed";
  Real uL_1 "uL if closed";
  Real uL_5 "uL if not closed";
  Real uD_0 "uD if closed";
  Real uD_6 "uD if not closed";
  Real s_3 "s if closed";
  Real s_7 "s if not closed";
equation
  // Mode equations
  closed_next = if closed then s >= -hysteresis else s > hysteresis;
  closed = pre(closed_next);
  // Differential equations
  der(i) = i_p;
  // Multiplexing
  i_p = if closed then i_p_2 else i_p_4;
  uL = if closed then uL_1 else uL_5;
  uD = if closed then uD_0 else uD_6;
  s = if closed then s_3 else s_7;
  // Block closed: Zc -> uD
  uD_0 = 0;
  // Block closed: i uD -- src -> uL
  uL_1 = V*sin(time) - uD_0 - R*i;
  // Block closed: uL -- ind -> i'
  uL_1 = L*i_p_2;
  // Block closed: i -- Sc -> s
  s_3 = i;
  // Block not closed: Zo' -> i'
  i_p_4 = 0;
  // Block not closed: i' -- ind -> uL
  uL_5 = L*i_p_4;
  // Block not closed: i uL -- src -> uD
  uD_6 = V*sin(time) - uL_5 - R*i;
  // Block not closed: uD -- So -> s
  s_7 = uD_6;
  // Reinitialisations
  when not closed then
    reinit(i, 0);
  end when;
  annotation (experiment(StopTime = 20));
end DiodeInductorRIMIS;
