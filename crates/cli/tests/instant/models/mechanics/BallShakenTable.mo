model BallShakenTable "a ball bounces on a table that goes up and down"
  parameter Real u = 1, tau = 1;
  Real h(start = 0.8*u, fixed = true);
  Real v(start = 0, fixed = true);
  Real table, speed;
equation
  der(h) = v;
  der(v) = -9.81*u/tau^2;
  table = 0.05*u*sin(7*time/tau);
  speed = 0.35*u/tau*cos(7*time/tau);
  when h <= table then
    reinit(v, speed - 0.6*(pre(v) - speed));
  end when;
end BallShakenTable;
