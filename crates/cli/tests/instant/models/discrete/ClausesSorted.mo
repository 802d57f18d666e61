model ClausesSorted "clauses in the wrong order are sorted by what they read"
  parameter Real tau = 1;
  Integer a(start = 0, fixed = true), b(start = 0, fixed = true), c(start = 0, fixed = true);
equation
  when sample(0.5*tau, tau) then
    c = b + a;
  end when;
  when sample(0.5*tau, tau) then
    b = 2*a + 1;
  end when;
  when sample(0.5*tau, tau) then
    a = pre(a) + 1;
  end when;
end ClausesSorted;
