model ShiftRegister "values move by one place at each sample"
  parameter Real u = 1, tau = 1;
  discrete Real a(start = 0, fixed = true), b(start = 0, fixed = true), c(start = 0, fixed = true);
equation
  when sample(tau, tau) then
    a = u*time/tau;
    b = pre(a);
    c = pre(b);
  end when;
end ShiftRegister;
