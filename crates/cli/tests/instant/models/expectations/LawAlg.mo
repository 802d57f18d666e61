model LawAlg "impact law that mentions an algebraic variable"
  Real h(start=1,fixed=true), v(start=0,fixed=true), f, e;
  Boolean c;
equation
  e = 0.5 + 0*time;
  der(h) = v; der(v) = -9.81 + f;
  c = h <= 0;
  0 = if c then h else f;
  when c then
    v = -e*pre(v);
  end when;
end LawAlg;
