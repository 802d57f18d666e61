model FirstEdgeWins "two conditions of one clause become true at once: the first branch acts; later each acts alone"
  parameter Real tau = 1;
  Integer n(start = 0, fixed = true);
equation
  when sample(tau, 2*tau) then
    n = pre(n) + 1;
  elsewhen sample(tau, 3*tau) then
    n = pre(n) + 10;
  end when;
end FirstEdgeWins;
