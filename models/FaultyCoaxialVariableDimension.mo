// E22, Figures 14 and 15: a faulty transmission line of N elements whose variables v and j exist in some modes only.
// Repaired: in the text of the figure the columns are mixed up and several characters are lost; the missing pieces
// are those of the other figure and of the prose. Of our own: the thresholds and the stop time. Undisturbed, the line
// rings up to 221 V and a reverse current of 0.47 A. At 0.3 A the first element opens; only by that the voltage
// behind it rises to 250 V, where the second element is short-circuited.
model CoaxialElement
  parameter Real R = 1e-2;
  parameter Real L = 1e-6;
  parameter Real C = 1e-11;
  parameter Real S = 1e-11;
  parameter Real Imax = 0.3;
  parameter Real Umax = 250;
  // Interface
  Real u1 "voltage at end 1";
  Real i1(start = 0, fixed = true) "current into end 1";
  Real u2(start = 0, fixed = true) "voltage at end 2";
  Real i2 "current into end 2";
  // Mutually exclusive modes
  Boolean open(start = false, fixed = true);
  Boolean short(start = false, fixed = true);
  // Variables of some modes only
  if not open then
    protected Real v "voltage between the ends";
  end if;
  if not short then
    protected Real j "current to ground";
  end if;
equation
  // State machine
  open = ((last(i2) >= Imax) or last(open)) and not last(short);
  short = (last(u1) >= Umax) or last(short);
  invariant not (open and short);
  // Open circuit or not
  if open then
    /* opCir: */ i1 = 0;
  else
    /* notOpCirKir: */ u1 - v - u2 = 0;
    /* notOpCirIndOhm: */ v = L*der(i1) + R*i1;
  end if;
  // Short circuit or not
  if short then
    /* shCir: */ u2 = 0;
  else
    /* notShCirKir: */ i1 + i2 - j = 0;
    /* notShCirCap: */ j = C*der(u2) + S*u2;
  end if;
end CoaxialElement;

model FaultyCoaxialVariableDimension
  parameter Integer N = 3;
  parameter Real U0 = 1e2;
  parameter Real I0 = 1e-1;
  CoaxialElement element[N];
equation
  for k in 1:N - 1 loop
    /* cpl[k].u: */ element[k].u2 = element[k + 1].u1;
    /* cpl[k].i: */ element[k].i2 + element[k + 1].i1 = 0;
  end for;
  /* src.u: */ element[1].u1 = U0;
  /* src.i: */ element[N].i2 = I0;
  annotation (experiment(StopTime = 5e-8));
end FaultyCoaxialVariableDimension;
