model OneDiodeLC "LC oscillator, one ideal diode, R || Cf"
  parameter Real L=1e-2, C=1e-6, R=1e3, Cf=300e-9;
  Real v(start=10, fixed=true), i(start=0, fixed=true), vF, d1, u1;
  Boolean on1(start=true);
equation
  C*der(v) = -i - d1;
  L*der(i) = v;
  Cf*der(vF) = d1 - vF/R;
  u1 = v - vF;
  0 = if on1 then u1 else d1;
  on1 = if pre(on1) then d1 >= 0 else u1 > 0;
end OneDiodeLC;
