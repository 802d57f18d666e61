model BangBang "time-optimal positioning with one switch, stopped by a rest"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Real v(start = 0, fixed = true);
  Integer phase(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = (if phase == 0 then u else if phase == 1 then -u else 0)/tau^2;
  when x >= u then
    phase = 1;
  elsewhen v < 0 then
    phase = 2;
    reinit(v, 0);
  end when;
end BangBang;
