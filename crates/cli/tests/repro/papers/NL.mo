// Once went wrong: papers/NL.
model NL "RR9459 4.7: y from a nonlinear block only while p, a state otherwise"
  Real x(start=0,fixed=true); Real y(start=0.2,fixed=true); Boolean p(start=false,fixed=true);
equation
  p = x >= 1.5;
  der(x) = 1;
  /* n: */ 0 = if p then y^2 - (x - 1) else der(y) - 0.35;
  annotation(experiment(StopTime=3));
end NL;
