model Watchdog "a watchdog is fed irregularly and bites once"
  parameter Real tau = 1;
  Real s;
  discrete Real fed(start = 0, fixed = true);
  Boolean bitten(start = false, fixed = true);
  Real alive(start = 0, fixed = true);
equation
  s = sin(6*sqrt(1 + time/tau));
  when s > 0.9 then
    fed = time;
  end when;
  when time > fed + 2*tau then
    bitten = true;
  end when;
  der(alive) = (if bitten then 0 else 1)/tau;
end Watchdog;
