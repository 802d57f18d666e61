model TankOverflow "a tank is filled until it overflows, then drained below the rim"
  parameter Real u = 1, tau = 1;
  Real h(start = 0, fixed = true);
  Real spilt(start = 0, fixed = true);
  Real inflow, over;
  Boolean full(start = false);
equation
  inflow = if time < 4*tau then 0.5*u/tau else -0.3*u/tau;
  der(h) = inflow - over;
  der(spilt) = over;
  full = if pre(full) then over >= 0 else h > u;
  0 = if full then h - u else over;
end TankOverflow;
