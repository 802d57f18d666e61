// E22, Figure 29: WaterTank in a form whose structure does not depend on the mode.
// Repaired: in the text of the figure two columns are mixed up and the heading of the last block is torn apart.
model WaterTankRIMIS
  constant Real xmax = 1.0;
  constant Real xmin = 0.0;
  constant Real y0 = 6.667;
  constant Real rho = 0.8;
  // Variables
  Real x(start = 0.5, fixed = true);
  Real yh;
  Real yl;
  Real z;
  Real sh;
  Real sl;
  Boolean bh(start = false, fixed = true);
  Boolean bl(start = false, fixed = true);
  // Dummy derivative
  Real x_p;
  // Replicates
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
equation
  // Mode equations
  bh = (sh >= 0);
  bl = (sl >= 0);
  // Differential equation
  der(x) = x_p;
  // Multiplexing
  yh = if bh then yh_6 else yh_5;
  yl = if bl then yl_4 else yl_2;
  sh = if bh then sh_6 else sh_5;
  sl = if bl then sl_4 else sl_2;
  x_p = if bh then x_p_6 else if bl then x_p_4 else x_p_7;
  // Block not bh: x -- eh1 -> sh
  sh_5 = x - xmax;
  // Block not bl: x -- el1 -> sl
  sl_2 = xmin - x;
  // Block bl: el2' -> x'
  x_p_4 = 0;
  // Block not bh: eh2 -> yh
  yh_5 = 0;
  // Block e1 -> z
  z = rho*y0*(1 + Modelica.Math.cos(2*Modelica.Constants.pi*time));
  // Block not bl: el2 -> yl
  yl_2 = 0;
  // Block bh: eh2' -> x'
  x_p_6 = 0;
  // Block bl: x' yh z -- e2 -> yl
  yl_4 = y0 + x_p_4 + yh_5 - z;
  // Block not (bh or bl): yh yl z -- e2 -> x'
  x_p_7 = z + yl_2 - yh_5 - y0;
  // Block bh: x' yl z -- e2 -> yh
  yh_6 = z + yl_2 - x_p_6 - y0;
  // Block bl: yl -- el1 -> sl
  sl_4 = yl_4;
  // Block bh: yh -- eh1 -> sh
  sh_6 = yh_6;
  annotation (experiment(StopTime = 2));
end WaterTankRIMIS;
