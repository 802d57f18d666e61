model DiodeCapacitorRIMIS
  // DiodeCapacitor with a structure that does not depend on the mode, written by `modeshift rimis`.
  // `x_p` is the derivative of `x`; `x_3` is `x` as block 3 gives it, in the modes of that block. All blocks are
  // evaluated in all modes; under "Multiplexing", the mode says whose value counts.
  // Parameters and constants
  parameter Real V = 1;
  parameter Real R = 1;
  parameter Real C = 1;
  // Variables
  Real v(start = 0) "voltage of capacitor and diode, not positive";
  Real i "current through the resistor";
  Real iC "current through the capacitor";
  Real iD "current through the diode, not negative";
  Real s "parameter of the diode's curve";
  Boolean closed(start = true) "the diode conducts";
  // Derivatives
  Real v_p "v'";
  // Replicates
  Real v_p_1 "v' if closed";
  Real v_p_7 "v' if not closed";
  Real iC_2 "iC if closed";
  Real iC_6 "iC if not closed";
  Real iD_3 "iD if closed";
  Real iD_5 "iD if not closed";
  Real s_4 "s if closed";
  Real s_8 "s if not closed";
equation
  // Mode equations
  closed = s >= 0;
  // Differential equations
  der(v) = v_p;
  // Multiplexing
  v_p = if closed then v_p_1 else v_p_7;
  iC = if closed then iC_2 else iC_6;
  iD = if closed then iD_3 else iD_5;
  s = if closed then s_4 else s_8;
  // Block v -- src -> i
  V*sin(time) = R*i + v;
  // Block closed: Zc' -> v'
  v_p_1 = 0;
  // Block closed: v' -- cap -> iC
  iC_2 = C*v_p_1;
  // Block closed: i iC -- node -> iD
  iD_3 = i - iC_2;
  // Block closed: iD -- Sc -> s
  s_4 = iD_3;
  // Block not closed: Zo -> iD
  iD_5 = 0;
  // Block not closed: i iD -- node -> iC
  iC_6 = i - iD_5;
  // Block not closed: iC -- cap -> v'
  iC_6 = C*v_p_7;
  // Block not closed: v -- So -> s
  s_8 = v;
  annotation (experiment(StopTime = 20));
end DiodeCapacitorRIMIS;
