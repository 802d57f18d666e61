model EdgeAndChange "edge and change as conditions"
  parameter Real tau = 1;
  Boolean b;
  Integer up(start = 0, fixed = true), both(start = 0, fixed = true), steps(start = 0, fixed = true);
equation
  b = sin(2*time/tau) > 0.5;
  when edge(b) then
    up = pre(up) + 1;
  end when;
  when change(b) then
    both = pre(both) + 1;
  end when;
  when change(up) then
    steps = pre(steps) + up;
  end when;
end EdgeAndChange;
