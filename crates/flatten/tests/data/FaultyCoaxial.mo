// E22, Figures 14 and 15: a faulty transmission line, with variables that exist in some modes only.
model CoaxialElement
  parameter Real R = 1e-2;
  parameter Real L = 1e-6;
  parameter Real C = 1e-11;
  parameter Real S = 1e-11;
  parameter Real Imax = 1e2;
  parameter Real Umax = 1e3;
  Real u1; Real i1; Real u2; Real i2;
  Boolean open(start=false, fixed=true);
  Boolean short(start=false, fixed=true);
  if not open then
    protected Real v;
  end if;
  if not short then
    protected Real j;
  end if;
equation
  open = ((last(i2) >= Imax) or last(open)) and (not last(short));
  short = (last(u1) >= Umax) or last(short);
  if open then
    /* opCir: */ i1 = 0;
  else
    /* notOpCirKir: */ u1 - v - u2 = 0;
    /* notOpCirIndOhm: */ v = L * der(i1) + R * i1;
  end if;
  if short then
    /* shCir: */ u2 = 0;
  else
    /* notShCirKir: */ i1 + i2 - j = 0;
    /* notShCirCap: */ j = C * der(u2) + S * u2;
  end if;
end CoaxialElement;
model FaultyCoaxial
  parameter Integer N = 3;
  parameter Real U0 = 1e2;
  parameter Real I0 = 1e-1;
  CoaxialElement element[N];
equation
  for k in 1:N-1 loop
    /* cpl[k].u: */ element[k].u2 = element[k+1].u1;
    /* cpl[k].i: */ element[k].i2 + element[k+1].i1 = 0;
  end for;
  /* src.u: */ element[1].u1 = U0;
  /* src.i: */ element[N].i2 = I0;
end FaultyCoaxial;
