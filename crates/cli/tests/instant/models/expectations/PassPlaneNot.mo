model PassPlaneNot "a body crosses x=0 and loses half of its speed there: v = -0.5 afterwards"
  Real x(start=1,fixed=true), v(start=-1,fixed=true);
  Boolean b; Integer n(start=0,fixed=true);
equation
  der(x) = v; der(v) = 0;
  b = x < 0;
  when b then
    reinit(v, 0.5*pre(v)); n = pre(n)+1;
  elsewhen not b then reinit(v, 0.5*pre(v)); n = pre(n)+1;
  end when;
end PassPlaneNot;
