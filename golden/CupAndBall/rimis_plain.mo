model CupAndBallRIMIS
  // CupAndBall with a structure that does not depend on the mode, written by `modeshift rimis`.
  // `x_p` is the derivative of `x`; `x_3` is `x` as block 3 gives it, in the modes of that block. All blocks are
  // evaluated in all modes; under "Multiplexing", the mode says whose value counts.
  // Parameters and constants
  constant Real g = 9.81;
  constant Real L = 1 "length of the rope";
  // Variables
  Real x(start = 0, fixed = true);
  Real y(start = 0, fixed = true);
  Real u(start = 0, fixed = true);
  Real v(start = 0, fixed = true);
  Real lambda "tension";
  Real s "parameter of the curve of the complementarity condition";
  Boolean gamma(start = false, fixed = true) "straight";
  // Derivatives
  Real x_p "x'";
  Real y_p "y'";
  Real u_p "u'";
  Real v_p "v'";
  // Replicates
  Real x_p_1 "x' if gamma";
  Real x_p_0 "x' if not gamma";
  Real x_pp_1 "x'' if gamma";
  Real y_p_1 "y' if gamma";
  Real y_p_2 "y' if not gamma";
  Real y_pp_1 "y'' if gamma";
  Real u_p_1 "u' if gamma";
  Real u_p_4 "u' if not gamma";
  Real v_p_1 "v' if gamma";
  Real v_p_5 "v' if not gamma";
  Real lambda_1 "lambda if gamma";
  Real lambda_3 "lambda if not gamma";
  Real s_6 "s if not gamma";
  Real s_7 "s if gamma";
equation
  // Mode equations
  gamma = s <= 0;
  // Differential equations
  der(x) = x_p;
  der(x_p_1) = x_pp_1;
  der(y) = y_p;
  der(y_p_1) = y_pp_1;
  der(u) = u_p;
  der(v) = v_p;
  // Multiplexing
  x_p = if gamma then x_p_1 else x_p_0;
  y_p = if gamma then y_p_1 else y_p_2;
  u_p = if gamma then u_p_1 else u_p_4;
  v_p = if gamma then v_p_1 else v_p_5;
  lambda = if gamma then lambda_1 else lambda_3;
  s = if gamma then s_7 else s_6;
  // Block not gamma: u -- ex -> x'
  x_p_0 = u;
  // Block gamma: x y -- ex' ey' e1 e2 k1'' -> x'' y'' u' v' lambda
  x_pp_1 = u_p_1;
  y_pp_1 = v_p_1;
  u_p_1 + lambda_1*x = 0;
  v_p_1 + lambda_1*y + g = 0;
  0 = -(2*x_p_1*x_p_1 + 2*x*x_pp_1 + (2*y_p_1*y_p_1 + 2*y*y_pp_1));
  // Block not gamma: v -- ey -> y'
  y_p_2 = v;
  // Block not gamma: k1 -> lambda
  lambda_3 = 0;
  // Block not gamma: x lambda -- e1 -> u'
  u_p_4 = -lambda_3*x;
  // Block not gamma: y lambda -- e2 -> v'
  v_p_5 = -lambda_3*y - g;
  // Block not gamma: x y -- k2 -> s
  s_6 = L^2 - x^2 - y^2;
  // Block gamma: lambda -- k2 -> s
  s_7 = -lambda_1;
  // Reinitialisations
  when gamma then
    reinit(x_p_1, pre(u) - pre(x)/(2*pre(x)*pre(x) + 2*pre(y)*pre(y))*(2*pre(x)*pre(u) + 2*pre(y)*pre(v)));
    reinit(y_p_1, pre(v) - pre(y)/(2*pre(x)*pre(x) + 2*pre(y)*pre(y))*(2*pre(x)*pre(u) + 2*pre(y)*pre(v)));
    reinit(u, pre(u) - pre(x)/(2*pre(x)*pre(x) + 2*pre(y)*pre(y))*(2*pre(x)*pre(u) + 2*pre(y)*pre(v)));
    reinit(v, pre(v) - pre(y)/(2*pre(x)*pre(x) + 2*pre(y)*pre(y))*(2*pre(x)*pre(u) + 2*pre(y)*pre(v)));
  end when;
  annotation (experiment(StopTime = 1));
end CupAndBallRIMIS;
