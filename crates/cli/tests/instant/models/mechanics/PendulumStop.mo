model PendulumStop "a pendulum hits a stop, with restitution"
  parameter Real tau = 1;
  Real phi(start = 1, fixed = true);
  Real w(start = 0, fixed = true);
equation
  der(phi) = w;
  der(w) = -9.81/tau^2*sin(phi);
  when phi <= -0.3 then
    reinit(w, -0.8*pre(w));
  end when;
end PendulumStop;
