model SeriesDio14 "14 ideal diodes in series, sine source, R || C; each with its own current"
  parameter Integer N=14;
  parameter Real R=1, C=2, w=6.283185307179586;
  Real v, vc(start=0), i[N], u[N], p[N+1];
  Boolean on[N](each start=true);
equation
  v = sin(w*time);
  p[1] = v; p[N+1] = vc;
  C*der(vc) = i[N] - vc/R;
  for k in 1:N-1 loop i[k] = i[k+1]; end for;
  for k in 1:N loop
    u[k] = p[k] - p[k+1];
    0 = if on[k] then u[k] else i[k];
    on[k] = if pre(on[k]) then i[k] >= 0 else u[k] > 0;
  end for;
end SeriesDio14;
