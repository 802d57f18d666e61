model Runaway "thermal runaway x' = x^2 with a counter of doublings; a fuse ends it at x = 1e5 (t = 1 - 1e-5)"
  Real x(start=1,fixed=true), next(start=2,fixed=true); Integer n(start=0,fixed=true); Boolean blown(start=false,fixed=true);
equation
  der(x) = if blown then -x else x^2;
  der(next) = 0;
  when x >= next then
    reinit(next, 2*pre(next)); n = pre(n) + 1;
  end when;
  when x >= 1e5 then blown = true; end when;
end Runaway;
