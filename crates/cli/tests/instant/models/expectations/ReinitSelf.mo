model ReinitSelf "bouncing ball with reinit(v, -0.7*v)"
  Real h(start=1,fixed=true), v(start=0,fixed=true);
equation
  der(h) = v; der(v) = -9.81;
  when h <= 0 then reinit(v, -0.7*v); end when;
end ReinitSelf;
