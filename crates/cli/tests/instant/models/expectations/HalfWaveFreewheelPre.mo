model HalfWaveFreewheelPre "half wave rectifier with freewheeling diode, RL load: the two diodes commutate"
  parameter Real R=2, L=0.01, w=314.1592653589793;
  Real v, s1, s2, d1, d2, vx, i(start=0,fixed=true);
  Boolean on1(start=true), on2(start=false);
equation
  v = 32.5*sin(w*time);
  i = d1 + d2;
  L*der(i) = vx - R*i;
  on1 = if pre(on1) then d1 >= 0 else s1 > 0; s1 = v - vx; 0 = if on1 then s1 else d1;
  on2 = if pre(on2) then d2 >= 0 else s2 > 0; s2 = -vx; 0 = if on2 then s2 else d2;
end HalfWaveFreewheelPre;
