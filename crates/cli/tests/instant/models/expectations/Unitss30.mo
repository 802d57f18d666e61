model Unitss30 "30 independent peak rectifiers with two diodes in series on one source: all switch at once"
  parameter Integer M=30;
  parameter Real R=1, C=2, w=6.283185307179586;
  Real v, vc[M](each start=0), i[M], j[M], s1[M], s2[M], m[M];
  Boolean on1[M](each start=true), on2[M](each start=true);
equation
  v = sin(w*time);
  for k in 1:M loop
    C*der(vc[k]) = j[k] - vc[k]/R;
    i[k] = j[k];
    on1[k] = s1[k] >= 0; v - m[k] = if on1[k] then 0 else s1[k]; i[k] = if on1[k] then s1[k] else 0;
    on2[k] = s2[k] >= 0; m[k] - vc[k] = if on2[k] then 0 else s2[k]; j[k] = if on2[k] then s2[k] else 0;
  end for;
end Unitss30;
