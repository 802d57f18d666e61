// Once went wrong: papers/Impl.
model Impl "x >= 2 implies x >= 1: the singular mode b and not a cannot happen"
  Real x(start=0,fixed=true); Real y; Boolean a; Boolean b;
equation
  der(x)=1; a = x >= 1; b = x >= 2;
  0 = if b and not a then x - 3 else y - x;
  annotation(experiment(StopTime=3));
end Impl;
