model SamplesMeet "samples of different periods and offsets meet at some instants"
  parameter Real tau = 1;
  Integer a(start = 0, fixed = true), b(start = 0, fixed = true), together(start = 0, fixed = true);
equation
  when sample(0.5*tau, 0.5*tau) then
    a = pre(a) + 1;
  end when;
  when sample(0.75*tau, 0.75*tau) then
    b = pre(b) + 1;
  end when;
  when sample(0.5*tau, 0.5*tau) and sample(0.75*tau, 0.75*tau) then
    together = pre(together) + 1;
  end when;
end SamplesMeet;
