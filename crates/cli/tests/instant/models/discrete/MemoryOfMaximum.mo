model MemoryOfMaximum "peaks of a signal are kept by clauses on its derivative"
  parameter Real u = 1, tau = 1;
  Real x(start = u, fixed = true), v(start = 0, fixed = true);
  discrete Real peak(start = 0, fixed = true), before(start = 0, fixed = true);
equation
  tau*der(x) = v;
  tau*der(v) = -4*x - 0.4*v;
  when v < 0 then
    peak = x;
    before = pre(peak);
  end when;
end MemoryOfMaximum;
