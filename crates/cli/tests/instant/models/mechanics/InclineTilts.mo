model InclineTilts "an incline is tilted slowly until the block on it slides"
  parameter Real tau = 1;
  Real x(start = 0, fixed = true);
  Real v(start = 0, fixed = true);
  Real angle, f, limit;
  Boolean sliding(start = false, fixed = true);
equation
  angle = 0.2*time/tau;
  limit = 0.5*9.81*cos(angle)/tau^2;
  der(x) = v;
  der(v) = 9.81*sin(angle)/tau^2 - f;
  sliding = if pre(sliding) then v > 0 else f > limit;
  0 = if sliding then f - 0.8*limit else v;
end InclineTilts;
