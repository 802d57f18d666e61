model CounterModulo "a counter of crossings that starts again at three, and its carry"
  parameter Real tau = 1;
  Real s;
  Integer n(start = 0, fixed = true), carry(start = 0, fixed = true);
equation
  s = sin(3*time/tau);
  when s > 0.5 then
    n = if pre(n) == 2 then 0 else pre(n) + 1;
  end when;
  when n == 0 then
    carry = pre(carry) + 1;
  end when;
end CounterModulo;
