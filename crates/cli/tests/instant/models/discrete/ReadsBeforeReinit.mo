model ReadsBeforeReinit "what a clause reads is the state before the reinit of the same instant, whatever the order"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  discrete Real a(start = 0, fixed = true), b(start = 0, fixed = true), c(start = 0, fixed = true);
equation
  tau*der(x) = u;
  when sample(tau, tau) then
    a = x;
    reinit(x, 0.25*x);
    b = x + a;
  end when;
  when sample(tau, tau) then
    c = 3*x;
  end when;
end ReadsBeforeReinit;
