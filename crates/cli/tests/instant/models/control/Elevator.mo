model Elevator "an elevator with requests by time: up, wait, down"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Integer goal(start = 0, fixed = true);
  Integer motion(start = 0, fixed = true);
equation
  der(x) = motion*u/tau;
  when time >= tau then
    goal = 3;
    motion = 1;
  elsewhen x >= 3*u then
    goal = 3;
    motion = 0;
  elsewhen time >= 6*tau then
    goal = 1;
    motion = -1;
  elsewhen x <= u and pre(motion) < 0 then
    goal = 1;
    motion = 0;
  end when;
end Elevator;
