model BridgeCs "mains rectifier: source 325 V 50 Hz with 0.5 Ohm, four ideal diodes, C filter, R load"
  parameter Real Rs=0.5, C=470e-6, R=100;
  Real vs, is, vc(start=0,fixed=true), va, vb, vp, vn, d1, d2, d3, d4, u1,u2,u3,u4;
  Boolean on1(start=true),on2(start=false),on3(start=false),on4(start=true); Real s1,s2,s3,s4;
equation
  vs = 325*sin(2*3.141592653589793*50*time);
  va - vb = vs - Rs*is;
  vn = 0;
  vp - vn = vc;
  is = d1 - d3;
  -is = d2 - d4;
  C*der(vc) = d1 + d2 - vc/R;
  u1 = va - vp; u2 = vb - vp; u3 = vn - va; u4 = vn - vb;
  s1 = if on1 then d1 else u1; on1 = s1 > 0;
  s2 = if on2 then d2 else u2; on2 = s2 > 0;
  s3 = if on3 then d3 else u3; on3 = s3 > 0;
  s4 = if on4 then d4 else u4; on4 = s4 > 0;
  0 = if on1 then u1 else d1;
  0 = if on2 then u2 else d2;
  0 = if on3 then u3 else d3;
  0 = if on4 then u4 else d4;
end BridgeCs;
