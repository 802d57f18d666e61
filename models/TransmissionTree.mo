// The faulty transmission line of E22, Figures 13 and 15, as a binary tree of N elements: element k feeds the elements
// 2k and 2k + 1. A scalable model of our own; as in the line, one fault may cause the next.
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
protected
  Real v "voltage between the ends";
  Real j "current to ground";
equation
  // State machine
  open = ((last(i2) >= Imax) or last(open)) and not last(short);
  short = (last(u1) >= Umax) or last(short);
  invariant not (open and short);
  // Open circuit or not
  if open then
    /* opCir: */ i1 = 0;
    /* plugV: */ v = 0;
  else
    /* notOpCirKir: */ u1 - v - u2 = 0;
    /* notOpCirIndOhm: */ v = L*der(i1) + R*i1;
  end if;
  // Short circuit or not
  if short then
    /* shCir: */ u2 = 0;
    /* plugJ: */ j = 0;
  else
    /* notShCirKir: */ i1 + i2 - j = 0;
    /* notShCirCap: */ j = C*der(u2) + S*u2;
  end if;
end CoaxialElement;

model TransmissionTree
  parameter Integer N = 7;
  parameter Real U0 = 1e2;
  parameter Real I0 = 1e-1;
  CoaxialElement element[N];
equation
  /* src.u: */ element[1].u1 = U0;
  for k in 2:N loop
    /* cpl[k].u: */ element[k].u1 = element[div(k, 2)].u2;
  end for;
  for k in 1:N loop
    if 2*k + 1 <= N then
      /* cpl[k].i: */ element[k].i2 + element[2*k].i1 + element[2*k + 1].i1 = 0;
    elseif 2*k <= N then
      /* cpl[k].i: */ element[k].i2 + element[2*k].i1 = 0;
    else
      /* leaf[k].i: */ element[k].i2 = I0;
    end if;
  end for;
  annotation (experiment(StopTime = 5e-8));
end TransmissionTree;
