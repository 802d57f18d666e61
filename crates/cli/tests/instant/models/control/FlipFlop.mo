model FlipFlop "a frequency divider of two flip-flops and what it drives"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Boolean a(start = false, fixed = true), b(start = false, fixed = true);
equation
  when sample(0.5*tau, 0.5*tau) then
    a = not pre(a);
  end when;
  when a then
    b = not pre(b);
  end when;
  der(x) = ((if b then u else -u) - x)/tau;
end FlipFlop;
