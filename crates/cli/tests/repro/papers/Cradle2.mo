// Once went wrong: papers/Cradle2.
model Cradle2 "the same by laws in transient modes"
  Real x1(start=-1,fixed=true); Real x2(start=0,fixed=true); Real x3(start=0.5,fixed=true);
  Real v1(start=1,fixed=true); Real v2(start=0,fixed=true); Real v3(start=0,fixed=true); Real p; Real q;
  Boolean a(start=false,fixed=true); Boolean b(start=false,fixed=true);
equation
  der(x1)=v1; der(x2)=v2; der(x3)=v3; der(v1)=-p; der(v2)=p-q; der(v3)=q;
  a = pre(x1) >= pre(x2) and pre(v1) > pre(v2);
  b = pre(x2) >= pre(x3) and pre(v2) > pre(v3);
  0 = if a then x1 - x2 else p;
  0 = if b then x2 - x3 else q;
  when a then v1 - v2 = -(pre(v1) - pre(v2)); end when;
  when b then v2 - v3 = -(pre(v2) - pre(v3)); end when;
  annotation(experiment(StopTime=3));
end Cradle2;
