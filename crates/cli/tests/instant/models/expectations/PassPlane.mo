model PassPlane "the same with elsewhen for the way back"
  Real x(start=1,fixed=true), v(start=-1,fixed=true);
equation
  der(x) = v; der(v) = 0;
  when x < 0 then
    reinit(v, 0.5*pre(v));
  elsewhen x > 0 then
    reinit(v, 0.5*pre(v));
  end when;
end PassPlane;
