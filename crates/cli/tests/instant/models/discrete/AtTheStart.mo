model AtTheStart "what fires at the start: initial() and a sample that is due, not a condition that holds already"
  parameter Real tau = 1;
  Integer a(start = 0, fixed = true), b(start = 0, fixed = true), c(start = 0, fixed = true), d(start = 0, fixed = true), e(start = 0, fixed = true);
equation
  when initial() then
    a = 7;
  end when;
  when {initial(), sample(tau, tau)} then
    b = pre(b) + 1;
  end when;
  when sample(0, tau) then
    c = pre(c) + 1;
  end when;
  when time >= 0 then
    d = 1;
  end when;
  when time > 0 then
    e = 1;
  end when;
end AtTheStart;
