model PumpTwoLevels "a pump with two float switches keeps a tank between them"
  parameter Real u = 1, tau = 1;
  Real h(start = 0.5*u, fixed = true);
  Boolean pump(start = true, fixed = true);
  Integer starts(start = 0, fixed = true);
equation
  der(h) = (if pump then 0.5*u/tau else 0) - 0.3*sqrt(h*u)/tau;
  when h > 0.9*u then
    pump = false;
  elsewhen h < 0.3*u then
    pump = true;
  end when;
  when pump then
    starts = pre(starts) + 1;
  end when;
end PumpTwoLevels;
