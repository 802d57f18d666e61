model SeriesDiodesLC "LC oscillator, two ideal diodes in series, R || Cf"
  parameter Real L=1e-2, C=1e-6, R=1e3, Cf=300e-9;
  Real v(start=10, fixed=true), i(start=0, fixed=true), vF, m, d1, d2, u1, u2;
  Boolean on1(start=true), on2(start=true);
equation
  C*der(v) = -i - d1;
  L*der(i) = v;
  Cf*der(vF) = d2 - vF/R;
  d1 = d2;
  u1 = v - m;
  u2 = m - vF;
  0 = if on1 then u1 else d1;
  0 = if on2 then u2 else d2;
  on1 = if pre(on1) then d1 >= 0 else u1 > 0;
  on2 = if pre(on2) then d2 >= 0 else u2 > 0;
end SeriesDiodesLC;
