// MOE15 §5.2, Figure 7: an ideal diode in series with an inductor; its current is no state while the diode blocks.
// Written with an if-equation; the values are our own.
model DiodeInductor
  parameter Real V = 1;
  parameter Real R = 1;
  parameter Real L = 1;
  Real i(start = 0, fixed = true) "current through all";
  Real uL "voltage of the inductor";
  Real uD "voltage of the diode, not positive";
  Real s "parameter of the diode's curve";
  Boolean closed(start = true) "the diode conducts";
equation
  closed = (s >= 0);
  /* src: */ V*sin(time) = uD + uL + R*i;
  /* ind: */ uL = L*der(i);
  if closed then
    /* Zc: */ uD = 0;
    /* Sc: */ s = i;
  else
    /* Zo: */ i = 0;
    /* So: */ s = uD;
  end if;
  annotation (experiment(StopTime = 20));
end DiodeInductor;
