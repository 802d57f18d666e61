// A ball that loses a tenth of its speed at every impact.
model BouncingBall
  parameter Real e = 0.9;
  Real h(start = 1, fixed = true);
  Real v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h <= 0 then
    reinit(v, -e*pre(v));
  end when;
end BouncingBall;
