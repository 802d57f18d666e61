// Once went wrong: trust/exclusive_by_definition.
model Half "s2 can never hold together with s1"
  parameter Real Vdc = 48, R = 6;
  Real v1, i1, v2, i2, iR;
  Boolean s1, s2;
equation
  s1 = sin(50*time) > 0.2;
  s2 = not s1 and cos(37*time) > 0.1;
  v1 + v2 = Vdc;
  i1 = i2 + iR;
  0 = if s1 then v1 else i1;
  0 = if s2 then v2 else i2;
  v2 = R*iR;
end Half;
