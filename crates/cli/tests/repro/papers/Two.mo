// Once went wrong: papers/Two.
model TwoFriction "two blocks stacked on a table, two coupled friction elements"
  parameter Real m1=1; parameter Real m2=1; parameter Real mu1=3; parameter Real mu2=1.2;
  Real vt; Real v1(start=0,fixed=true); Real v2(start=0,fixed=true); Real w1; Real w2; Real f1; Real f2;
  Boolean F1(start=false,fixed=true); Boolean B1(start=false,fixed=true); Boolean F2(start=false,fixed=true); Boolean B2(start=false,fixed=true);
equation
  vt = 0.6*(1-cos(6*time));
  w1 = v1-vt; w2 = v2-v1;
  m1*der(v1) = f1 - f2; m2*der(v2) = f2;
  F1 = pre(F1) and w1 > 0 or not pre(F1) and not pre(B1) and f1 < -mu1;
  B1 = pre(B1) and w1 < 0 or not pre(F1) and not pre(B1) and f1 > mu1;
  F2 = pre(F2) and w2 > 0 or not pre(F2) and not pre(B2) and f2 < -mu2;
  B2 = pre(B2) and w2 < 0 or not pre(F2) and not pre(B2) and f2 > mu2;
  0 = if F1 then f1+mu1 else if B1 then f1-mu1 else w1;
  0 = if F2 then f2+mu2 else if B2 then f2-mu2 else w2;
  annotation(experiment(StopTime=3));
end TwoFriction;
