// Once went wrong: papers/Impl4.
model Impl4
  Real x(start=0,fixed=true); Real y; Boolean a(start=false,fixed=true); Boolean b(start=false,fixed=true);
equation
  der(x)=1; a = x > 1; b = x < 0;
  0 = if a and b then x - 3 else y - x;
  annotation(experiment(StopTime=3));
end Impl4;
