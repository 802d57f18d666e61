// MOE15 §5.1, Figure 4: two inductors in series; L1 is destroyed where the current becomes too large and is a large
// resistor R1 from then on. Written with an if-equation; the values are our own.
model BreakingInductor
  parameter Real V = 10;
  parameter Real R = 1;
  parameter Real R1 = 100;
  parameter Real L1 = 1;
  parameter Real L2 = 1;
  parameter Real Imax = 5;
  Real i1(start = 0) "current through L1 or R1";
  Real i2(start = 0, fixed = true) "current through L2";
  Real u1 "voltage of L1 or R1";
  Real u2 "voltage of L2";
  Boolean broken(start = false, fixed = true);
equation
  broken = (pre(i1) >= Imax) or pre(broken);
  /* src: */ V = R*i2 + u1 + u2;
  /* ser: */ i1 = i2;
  /* ind2: */ u2 = L2*der(i2);
  if broken then
    /* res1: */ u1 = R1*i1;
  else
    /* ind1: */ u1 = L1*der(i1);
  end if;
  annotation (experiment(StopTime = 3));
end BreakingInductor;
