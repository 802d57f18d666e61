model Hopper "a hopping leg: flight, compression, and a thrust at the lowest point"
  parameter Real u = 1, tau = 1;
  Real y(start = 1.5*u, fixed = true);
  Real v(start = 0, fixed = true);
  Real k(start = 50, fixed = true);
  Boolean stance;
equation
  der(y) = v;
  der(v) = -10*u/tau^2 + (if stance then k*(u - y)/tau^2 - 0.8*v/tau else 0);
  der(k) = 0;
  stance = y < u;
  when v > 0 and stance then
    reinit(k, 58);
  elsewhen not stance then
    reinit(k, 50);
  end when;
end Hopper;
