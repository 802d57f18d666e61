model ParcelLift "a parcel on a platform that shakes harder than gravity: lifts off and lands plastically"
  parameter Real u = 1, tau = 1;
  Real y(start = 0, fixed = true);
  Real v(start = 0, fixed = true);
  Real f, table;
  Boolean touch(start = true);
equation
  der(y) = v;
  der(v) = f - 1*u/tau^2;
  table = 1.3*u*(1 - cos(time/tau));
  touch = if pre(touch) then f >= 0 else y < table;
  0 = if touch then y - table else f;
end ParcelLift;
