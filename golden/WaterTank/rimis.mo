model WaterTankRIMIS
  // WaterTank with a structure that does not depend on the mode, written by `modeshift rimis`.
  // `x_p` is the derivative of `x`; `x_3` is `x` as block 3 gives it, in the modes of that block. All blocks are
  // evaluated in all modes; under "Multiplexing", the mode says whose value counts.
  // Guards are looked at in the mode that is left: `b_next` is what the guard of `b` asks for,
  // `b = pre(b_next)` is in force, and the event iteration goes on until both agree.
  // A guard that depends on the mode has to go beyond its bound by `hysteresis`: without it,
  // rounding would decide at the bound, and a mode could be left and entered without end.
  // Parameters and constants
  constant Real xmax = 1 "greatest amount of water";
  constant Real xmin = 0 "least amount of water";
  constant Real y0 = 6.667 "outflow by default";
  constant Real rho = 0.8 "relative inflow";
  parameter Real hysteresis = 1e-9 "how far a guard goes beyond its bound before the mode changes";
  // Variables
  Real x(start = 0.5, fixed = true) "stored water";
  Real yh "additional outflow while the tank is full";
  Real yl "correction of the outflow while the tank is empty";
  Real z "inflow";
  Real sh "parameter of the curve for the full tank";
  Real sl "parameter of the curve for the empty tank";
  Boolean bh "full";
  Boolean bl "empty";
  // Modes
  Boolean bh_next(start = false, fixed = true) "what the guard of bh asks for";
  Boolean bl_next(start = false, fixed = true) "what the guard of bl asks for";
  // Derivatives
  Real x_p "x'";
  // Replicates
  Real x_p_2 "x' if bh";
  Real x_p_5 "x' if bl";
  Real x_p_9 "x' if not (bh or bl)";
  Real yh_3 "yh if not bh";
  Real yh_10 "yh if bh";
  Real yl_6 "yl if bl";
  Real yl_8 "yl if not bl";
  Real sh_1 "sh if not bh";
  Real sh_11 "sh if bh";
  Real sl_4 "sl if not bl";
  Real sl_7 "sl if bl";
equation
  // Mode equations
  bh_next = if bh then sh >= -hysteresis else sh > hysteresis;
  bh = pre(bh_next);
  bl_next = if bl then sl >= -hysteresis else sl > hysteresis;
  bl = pre(bl_next);
  // Differential equations
  der(x) = x_p;
  // Multiplexing
  x_p = if bh then x_p_2 else if bl then x_p_5 else x_p_9;
  yh = if bh then yh_10 else yh_3;
  yl = if bl then yl_6 else yl_8;
  sh = if bh then sh_11 else sh_1;
  sl = if bl then sl_7 else sl_4;
  // Block e1 -> z
  z = rho*y0*(1 + cos(6.283185307179586*time));
  // Block not bh: x -- eh1 -> sh
  sh_1 = x - xmax;
  // Block bh: eh2' -> x'
  x_p_2 = 0;
  // Block not bh: eh2 -> yh
  yh_3 = 0;
  // Block not bl: x -- el1 -> sl
  sl_4 = xmin - x;
  // Block bl: el2' -> x'
  x_p_5 = 0;
  // Block bl: x' yh z -- e2 -> yl
  yl_6 = x_p_5 - z + yh_3 + y0;
  // Block bl: yl -- el1 -> sl
  sl_7 = yl_6;
  // Block not bl: el2 -> yl
  yl_8 = 0;
  // Block not (bh or bl): yh yl z -- e2 -> x'
  x_p_9 = z + yl_8 - yh_3 - y0;
  // Block bh: x' yl z -- e2 -> yh
  yh_10 = z - x_p_2 + yl_8 - y0;
  // Block bh: yh -- eh1 -> sh
  sh_11 = yh_10;
  // Reinitialisations
  when bh then
    reinit(x, xmax);
  elsewhen bl then
    reinit(x, xmin);
  end when;
  // Assertions
  assert(not (bh and bl), "the tank cannot be full and empty at once");
  annotation (experiment(StopTime = 2));
end WaterTankRIMIS;
