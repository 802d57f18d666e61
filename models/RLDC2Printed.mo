// RR9322, Figure 4: as RLDC2, with the sign in S1 and S2 and the start values that are printed there.
// Kept for diagnostics: with this sign no mode, or a wrong one, is accepted, and the start needs a jump to
// j1 = 0.2, j2 = -0.2.
model RLDC2Printed
  parameter Real R1 = 10.0;
  parameter Real R2 = 15.0;
  parameter Real L1 = 1.0;
  parameter Real L2 = 1.5;
  parameter Real C1 = 0.10;
  parameter Real C2 = 0.15;
  Real i1;
  Real i2;
  Real j1(start = 2.0, fixed = true);
  Real j2(start = 1.0, fixed = true);
  Real u1;
  Real u2;
  Real v1(start = 0.5, fixed = true);
  Real v2(start = 1.0, fixed = true);
  Real w1;
  Real w2;
  Real x1;
  Real x2;
  Real s1;
  Real s2;
  Boolean g1(start = false);
  Boolean g2(start = false);
equation
  /* K1: */ 0 = j1 + i1 + i2 + j2;
  /* K2: */ x1 + w1 = u1 + v1;
  /* K3: */ u1 + v1 = u2 + v2;
  /* K4: */ u2 + v2 = x2 + w2;
  /* R1: */ x1 = R1*j1;
  /* R2: */ x2 = R2*j2;
  /* L1: */ w1 = L1*der(j1);
  /* L2: */ w2 = L2*der(j2);
  /* C1: */ i1 = C1*der(v1);
  /* C2: */ i2 = C2*der(v2);
  /* S1: */ s1 = if g1 then i1 else -u1;
  /* S2: */ s2 = if g2 then i2 else -u2;
  /* Z1: */ 0 = if g1 then u1 else i1;
  /* Z2: */ 0 = if g2 then u2 else i2;
  /* G1: */ g1 = (s1 >= 0);
  /* G2: */ g2 = (s2 >= 0);
  annotation (experiment(StopTime = 1));
end RLDC2Printed;
