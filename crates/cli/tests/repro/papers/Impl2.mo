// Once went wrong: papers/Impl2.
model Impl2 "affine: x + y >= 2 and y <= 0.5 imply x >= 1"
  Real x(start=0,fixed=true); Real y(start=0,fixed=true); Real z; Boolean a; Boolean b; Boolean c;
equation
  der(x)=1; der(y)=0.1; a = x >= 1; b = x + y >= 2; c = y <= 0.5;
  0 = if b and c and not a then x - 3 else z - x;
  annotation(experiment(StopTime=3));
end Impl2;
