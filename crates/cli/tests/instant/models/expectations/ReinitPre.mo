model ReinitPre "left limits of discrete variables in reinit: all expected values are 1 after t=1"
  Real x(start=-1,fixed=true), a(start=0,fixed=true), b(start=0,fixed=true), c(start=0,fixed=true), d(start=0,fixed=true), e(start=0,fixed=true);
  discrete Real r(start=1,fixed=true);
  Integer n(start=1,fixed=true);
  Boolean q(start=false,fixed=true), hit;
equation
  der(x)=1; der(a)=0; der(b)=0; der(c)=0; der(d)=0; der(e)=0;
  hit = x >= 0;
  when hit then
    r = pre(r) + 10;
    n = pre(n) + 10;
    q = not pre(q);
    reinit(a, pre(r));
    reinit(b, pre(n));
    reinit(c, if pre(q) then 0 else 1);
    reinit(d, if pre(hit) then 0 else 1);
    reinit(e, n - 10);
  end when;
end ReinitPre;
