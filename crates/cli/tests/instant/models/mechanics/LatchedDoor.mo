model LatchedDoor "a door swings to, falls into the latch, and is opened again at 4"
  parameter Real u = 1, tau = 1;
  Real phi(start = u, fixed = true);
  Real w(start = 0, fixed = true);
  Boolean latched(start = false, fixed = true);
equation
  der(phi) = w;
  der(w) = if latched then 0 else -(phi + 0.2*u)/tau^2 - 0.6*w/tau + (if time >= 4*tau then 2*u/tau^2 else 0);
  when phi <= 0 then
    latched = true;
    reinit(w, 0);
  elsewhen time >= 4*tau then
    latched = false;
  end when;
end LatchedDoor;
