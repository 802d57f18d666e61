// E22, Figure 9: an ideal clutch between two shafts, engaged from t1 to t2.
model ClutchBasic
  parameter Real w01 = 1;
  parameter Real w02 = 1.5;
  parameter Real j1 = 1;
  parameter Real j2 = 2;
  parameter Real k1 = 0.01;
  parameter Real k2 = 0.0125;
  parameter Real t1 = 5;
  parameter Real t2 = 7;
  Boolean g(start = false) "engaged";
  Real w1(start = w01, fixed = true);
  Real w2(start = w02, fixed = true);
  Real f1;
  Real f2;
equation
  g = (time >= t1) and (time <= t2);
  j1*der(w1) = -k1*w1 + f1;
  j2*der(w2) = -k2*w2 + f2;
  0 = if g then w1 - w2 else f1;
  f1 + f2 = 0;
  annotation (experiment(StopTime = 10));
end ClutchBasic;
