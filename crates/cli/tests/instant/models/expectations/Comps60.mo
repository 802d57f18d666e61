model Comps60
  model Unit
    parameter Real R=1, C=2;
    input Real v;
    Real vc(start=0), i, j, s1, s2, m;
    Boolean on1(start=true), on2(start=true);
  equation
    C*der(vc) = j - vc/R;
    i = j;
    on1 = s1 >= 0; v - m = if on1 then 0 else s1; i = if on1 then s1 else 0;
  on2 = s2 >= 0; m - vc = if on2 then 0 else s2; j = if on2 then s2 else 0;
  end Unit;
  parameter Integer M=60;
  Unit u[M](each v = sin(6.283185307179586*time));
end Comps60;
