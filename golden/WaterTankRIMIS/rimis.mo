model WaterTankRIMISRIMIS
  // WaterTankRIMIS with a structure that does not depend on the mode, written by `modeshift rimis`.
  // `x_p` is the derivative of `x`; `x_3` is `x` as block 3 gives it, in the modes of that block. All blocks are
  // evaluated in all modes; under "Multiplexing", the mode says whose value counts.
  // Guards are looked at in the mode that is left: `b_next` is what the guard of `b` asks for,
  // `b = pre(b_next)` is in force, and the event iteration goes on until both agree.
  // A guard that depends on the mode has to go beyond its bound by `hysteresis`: without it,
  // rounding would decide at the bound, and a mode could be left and entered without end.
  // Parameters and constants
  constant Real xmax = 1;
  constant Real xmin = 0;
  constant Real y0 = 6.667;
  constant Real rho = 0.8;
  parameter Real hysteresis = 1e-9 "how far a guard goes beyond its bound before the mode changes";
  // Variables
  Real x(start = 0.5, fixed = true);
  Real yh;
  Real yl;
  Real z;
  Real sh;
  Real sl;
  Boolean bh;
  Boolean bl;
  Real x_p;
  Real sh_5 "sh if not bh";
  Real sh_6 "sh if bh";
  Real sl_2 "sl if not bl";
  Real sl_4 "sl if bl";
  Real x_p_4 "x' if bl";
  Real x_p_7 "x' if not (bh or bl)";
  Real x_p_6 "x' if bh";
  Real yh_5 "yh if not bh";
  Real yh_6 "yh if bh";
  Real yl_2 "yl if not bl";
  Real yl_4 "yl if bl";
  // Modes
  Boolean bh_next(start = false, fixed = true) "what the guard of bh asks for";
  Boolean bl_next(start = false, fixed = true) "what the guard of bl asks for";
  // Derivatives
  Real x_p_ "x'";
  // Replicates
  Real yh_7 "yh if not bh";
  Real yh_19 "yh if bh";
  Real yl_10 "yl if not bl";
  Real yl_14 "yl if bl";
  Real sh_1 "sh if not bh";
  Real sh_23 "sh if bh";
  Real sl_3 "sl if not bl";
  Real sl_21 "sl if bl";
  Real x_p_5 "x_p if not bh and bl";
  Real x_p_12 "x_p if bh";
  Real x_p_16 "x_p if not (bh or bl)";
equation
  // Mode equations
  bh_next = if bh then sh >= -hysteresis else sh > hysteresis;
  bh = pre(bh_next);
  bl_next = if bl then sl >= -hysteresis else sl > hysteresis;
  bl = pre(bl_next);
  // Differential equations
  der(x) = x_p_;
  // Multiplexing
  yh = if bh then yh_19 else yh_7;
  yl = if bl then yl_14 else yl_10;
  sh = if bh then sh_23 else sh_1;
  sl = if bl then sl_21 else sl_3;
  x_p = if bh then x_p_12 else if bl then x_p_5 else x_p_16;
  // Block x -- e7 -> sh_5
  sh_5 = x - xmax;
  // Block not bh: sh_5 -- e4 -> sh
  sh_1 = sh_5;
  // Block x -- e8 -> sl_2
  sl_2 = xmin - x;
  // Block not bl: sl_2 -- e5 -> sl
  sl_3 = sl_2;
  // Block e9 -> x_p_4
  x_p_4 = 0;
  // Block not bh and bl: x_p_4 -- e6 -> x_p
  x_p_5 = x_p_4;
  // Block e10 -> yh_5
  yh_5 = 0;
  // Block not bh: yh_5 -- e2 -> yh
  yh_7 = yh_5;
  // Block e11 -> z
  z = rho*y0*(1 + cos(6.283185307179586*time));
  // Block e12 -> yl_2
  yl_2 = 0;
  // Block not bl: yl_2 -- e3 -> yl
  yl_10 = yl_2;
  // Block e13 -> x_p_6
  x_p_6 = 0;
  // Block bh: x_p_6 -- e6 -> x_p
  x_p_12 = x_p_6;
  // Block z x_p_4 yh_5 -- e14 -> yl_4
  yl_4 = y0 + x_p_4 + yh_5 - z;
  // Block bl: yl_4 -- e3 -> yl
  yl_14 = yl_4;
  // Block z yh_5 yl_2 -- e15 -> x_p_7
  x_p_7 = z + yl_2 - yh_5 - y0;
  // Block not (bh or bl): x_p_7 -- e6 -> x_p
  x_p_16 = x_p_7;
  // Block x_p -- e1 -> x'
  x_p_ = x_p;
  // Block z x_p_6 yl_2 -- e16 -> yh_6
  yh_6 = z + yl_2 - x_p_6 - y0;
  // Block bh: yh_6 -- e2 -> yh
  yh_19 = yh_6;
  // Block yl_4 -- e17 -> sl_4
  sl_4 = yl_4;
  // Block bl: sl_4 -- e5 -> sl
  sl_21 = sl_4;
  // Block yh_6 -- e18 -> sh_6
  sh_6 = yh_6;
  // Block bh: sh_6 -- e4 -> sh
  sh_23 = sh_6;
  annotation (experiment(StopTime = 2));
end WaterTankRIMISRIMIS;
