model GearShift "a car with two gears: shifts up at 0.8, down at 0.4"
  parameter Real u = 1, tau = 1;
  Real v(start = 0, fixed = true);
  Real s(start = 0, fixed = true);
  Real slope;
  Integer gear(start = 1, fixed = true);
equation
  slope = if time > 4*tau and time < 8*tau then 0.5*u/tau^2 else 0;
  der(s) = v;
  der(v) = (if gear == 1 then 1*u/tau^2 else 0.6*u/tau^2) - 0.3*v/tau - slope;
  when v > 0.8*u/tau then
    gear = 2;
  elsewhen v < 0.4*u/tau then
    gear = 1;
  end when;
end GearShift;
