// Once went wrong: papers/Sliding.
model Sliding "sliding mode, E22 footnote page 3"
  Real x(start=1,fixed=true);
equation
  der(x) = if x > 0 then -1 else 1;
  annotation(experiment(StopTime=2));
end Sliding;
