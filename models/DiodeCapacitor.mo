// MOE15 §5.3, Figure 8: an ideal diode in parallel with a capacitor; its voltage is no state while the diode conducts.
// Written with an if-equation; the values are our own.
model DiodeCapacitor
  parameter Real V = 1;
  parameter Real R = 1;
  parameter Real C = 1;
  Real v(start = 0) "voltage of capacitor and diode, not positive";
  Real i "current through the resistor";
  Real iC "current through the capacitor";
  Real iD "current through the diode, not negative";
  Real s "parameter of the diode's curve";
  Boolean closed(start = true) "the diode conducts";
equation
  closed = (s >= 0);
  /* src: */ V*sin(time) = R*i + v;
  /* node: */ i = iC + iD;
  /* cap: */ iC = C*der(v);
  if closed then
    /* Zc: */ v = 0;
    /* Sc: */ s = iD;
  else
    /* Zo: */ iD = 0;
    /* So: */ s = v;
  end if;
  annotation (experiment(StopTime = 20));
end DiodeCapacitor;
