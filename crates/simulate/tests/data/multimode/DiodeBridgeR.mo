model DiodeBridgeR "LC oscillator + 4 ideal diodes + R load, 16 modes (siconos-tutorials DiodeBridge); states obey a linear RLC: numeric/DiodeBridge_exact.json; structure: structural_multimode/diode_bridge_R.json"
  parameter Real L=1e-2, C=1e-6, R=1e3;
  Real v(start=10, fixed=true), i(start=0, fixed=true, nominal=0.01), iac, iF, vF, Vp, Vn, d1, d2, d3, d4, u1, u2, u3, u4;
  Boolean on1(start=true), on2(start=false), on3(start=false), on4(start=true);
equation
  C*der(v) = -i - iac;
  L*der(i) = v;
  vF = R*iF;
  iac = d1 - d3;
  -iac = d2 - d4;
  iF = d1 + d2;
  vF = Vp - Vn;
  u1 = v - Vp;
  u2 = -Vp;
  u3 = Vn - v;
  u4 = Vn;
  0 = if on1 then u1 else d1;
  0 = if on2 then u2 else d2;
  0 = if on3 then u3 else d3;
  0 = if on4 then u4 else d4;
  on1 = if pre(on1) then d1 >= 0 else u1 > 0;
  on2 = if pre(on2) then d2 >= 0 else u2 > 0;
  on3 = if pre(on3) then d3 >= 0 else u3 > 0;
  on4 = if pre(on4) then d4 >= 0 else u4 > 0;
end DiodeBridgeR;
