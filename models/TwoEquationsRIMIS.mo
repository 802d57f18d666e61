// E22, Figure 27: TwoEquations in a form whose structure does not depend on the mode.
model TwoEquationsRIMIS
  // Source variables
  Real x;
  Boolean p(start = false, fixed = true);
  // Replicate variables
  Real x_2;
  Real x_p_3;
  Real x_3(start = 0, fixed = true);
equation
  // Mode equation
  p = (x >= 1);
  // Differential equation
  der(x_3) = x_p_3;
  // Multiplexing
  x = if p then x_2 else x_3;
  // Block e_3 -> x_p_3
  /* e_3: */ 1 = x_p_3;
  // Block e_2 -> x_2
  /* e_2: */ 1 = x_2;
  // Reinitialization
  when not p then
    reinit(x_3, pre(x));
  end when;
  annotation (experiment(StopTime = 2));
end TwoEquationsRIMIS;
