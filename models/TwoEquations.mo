// E22, Figure 1: the smallest model whose leading variable depends on the mode.
model TwoEquations
  Real x(start = 0, fixed = true);
  Boolean p(start = false, fixed = true);
equation
  p = (x >= 1);
  /* e: */ 1 = if p then x else der(x);
  annotation (experiment(StopTime = 2));
end TwoEquations;
