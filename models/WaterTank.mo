// E22, Figure 4: a closed tank; two complementarity conditions keep its level between xmin and xmax.
// Repaired: the second declaration of `sh` in the figure is that of `sl`; `der(time) = 1` determines no unknown and
// is left out; the assertion that is a comment in the figure is an assertion here.
model WaterTank
  constant Real xmax = 1.0 "greatest amount of water";
  constant Real xmin = 0.0 "least amount of water";
  constant Real y0 = 6.667 "outflow by default";
  constant Real rho = 0.8 "relative inflow";
  Real x(start = 0.5, fixed = true) "stored water";
  Real yh "additional outflow while the tank is full";
  Real yl "correction of the outflow while the tank is empty";
  Real z "inflow";
  Real sh "parameter of the curve for the full tank";
  Real sl "parameter of the curve for the empty tank";
  Boolean bh(start = false, fixed = true) "full";
  Boolean bl(start = false, fixed = true) "empty";
equation
  assert(not (bh and bl), "the tank cannot be full and empty at once");
  /* e1: */ z = rho*y0*(1 + Modelica.Math.cos(2*Modelica.Constants.pi*time));
  /* e2: */ der(x) = z + yl - yh - y0;
  // 0 <= xmax - x, complementary to yh >= 0
  bh = (sh >= 0);
  /* eh1: */ sh = if bh then yh else x - xmax;
  /* eh2: */ 0 = if bh then x - xmax else yh;
  // 0 <= x - xmin, complementary to yl >= 0
  bl = (sl >= 0);
  /* el1: */ sl = if bl then yl else xmin - x;
  /* el2: */ 0 = if bl then xmin - x else yl;
  annotation (experiment(StopTime = 2));
end WaterTank;
