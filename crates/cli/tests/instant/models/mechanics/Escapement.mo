model Escapement "a clock: the pendulum gets a kick whenever it passes the middle"
  parameter Real u = 1, tau = 1;
  Real x(start = 0.5*u, fixed = true);
  Real v(start = 0, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = -x/tau^2 - 0.1*v/tau;
  when x < 0 then
    reinit(v, pre(v) - 0.2*u/tau);
    n = pre(n) + 1;
  elsewhen x > 0 then
    reinit(v, pre(v) + 0.2*u/tau);
    n = pre(n) + 1;
  end when;
end Escapement;
