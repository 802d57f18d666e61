model YoYo "a yo-yo unwinds, turns at the end of its string and winds up again"
  parameter Real u = 1, tau = 1;
  Real y(start = 0, fixed = true);
  Real w(start = 0.5*u/tau, fixed = true);
  Boolean down(start = true, fixed = true);
equation
  der(y) = if down then w else -w;
  der(w) = if down then 0.8*u/tau^2 else -0.8*u/tau^2;
  when y >= u then
    down = false;
    reinit(w, 0.85*pre(w));
  elsewhen w <= 0 then
    down = true;
  end when;
end YoYo;
