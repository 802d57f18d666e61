model ClutchRpm954 "motor drives load through a friction clutch; capacity ramps up; stick-slip transitions"
  parameter Real J1=0.5, J2=2, u=954.9296585513721 "speeds in rpm, 100 times faster";
  Real w1(start=100*u,fixed=true), w2(start=0,fixed=true), t, cap, w;
  Boolean F(start=true), B(start=false);
equation
  J1*der(w1)/u = 20 - t;
  J2*der(w2)/u = t - 10 - 0.5*w2/u;
  w = w1 - w2;
  cap = 60*(0.5 + 0.5*sin(3*time));
  F = if pre(F) then w > 0 else t > cap;
  B = if pre(B) then w < 0 else t < -cap;
  0 = if F then t - cap else if B then t + cap else w;
end ClutchRpm954;
