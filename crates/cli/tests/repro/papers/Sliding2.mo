// Once went wrong: papers/Sliding2.
model Sliding2 "Filippov: moves along x=0 with y'=0.5"
  Real x(start=1,fixed=true); Real y(start=0,fixed=true); Boolean p(start=true,fixed=true);
equation
  p = x > 0;
  der(x) = if p then -1 else 1;
  der(y) = if p then 1 else 0;
  annotation(experiment(StopTime=2));
end Sliding2;
