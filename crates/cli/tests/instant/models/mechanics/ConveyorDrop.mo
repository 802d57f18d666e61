model ConveyorDrop "a block dropped on a belt slides until it is as fast as the belt, which then brakes hard and leaves it sliding"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Real v(start = 0, fixed = true);
  Real f, belt, slip;
  Boolean forward(start = false), backward(start = true);
equation
  belt = if time < 3*tau then u/tau else u/tau - 2*(time - 3*tau)*u/tau^2;
  der(x) = v;
  der(v) = -f;
  slip = v - belt;
  forward = if pre(forward) then slip > 0 else f > 0.5*u/tau^2;
  backward = if pre(backward) then slip < 0 else f < -0.5*u/tau^2;
  0 = if forward then f - 0.5*u/tau^2 else if backward then f + 0.5*u/tau^2 else slip;
end ConveyorDrop;
