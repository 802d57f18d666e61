// MOE15, Figure 2: two capacitors in parallel, charged through R2; C1 is destroyed where its voltage becomes too large
// and is a small resistor R1 from then on. Written with an if-equation; the values are our own but for the 8 V.
model BreakingCapacitor
  parameter Real V = 10;
  parameter Real R1 = 1;
  parameter Real R2 = 100;
  parameter Real C1 = 1e-3;
  parameter Real C2 = 1e-3;
  parameter Real Vmax = 8;
  Real i "current through R2";
  Real i1 "current through C1 or R1";
  Real i2 "current through C2";
  Real v1(start = 0) "voltage of C1 or R1";
  Real v2(start = 0, fixed = true) "voltage of C2";
  Boolean broken(start = false, fixed = true);
equation
  broken = (pre(v1) >= Vmax) or pre(broken);
  /* src: */ V = R2*i + v2;
  /* node: */ i = i1 + i2;
  /* par: */ v1 = v2;
  /* cap2: */ i2 = C2*der(v2);
  if broken then
    /* res1: */ v1 = R1*i1;
  else
    /* cap1: */ i1 = C1*der(v1);
  end if;
  annotation (experiment(StopTime = 1));
end BreakingCapacitor;
