model Debounce "a contact bounces; it counts when it has been closed long enough"
  parameter Real tau = 1;
  Real s;
  Boolean raw, steady(start = false, fixed = true);
  discrete Real since(start = 0, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  s = sin(time/tau) + 0.5*sin(9*time/tau);
  raw = s > 0.3;
  when change(raw) then
    since = time;
  end when;
  steady = raw and time > since + 0.5*tau;
  when steady then
    n = pre(n) + 1;
  end when;
end Debounce;
