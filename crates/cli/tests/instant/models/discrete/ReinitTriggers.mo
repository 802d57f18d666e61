model ReinitTriggers "a jump of a state triggers a clause in the next micro-step, which makes another one jump"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true), y(start = 0, fixed = true);
  discrete Real seen(start = 0, fixed = true);
equation
  tau*der(x) = u;
  tau*der(y) = -u;
  when x > u then
    reinit(x, 5*u);
  end when;
  when x > 3*u then
    seen = x;
    reinit(y, 10*u);
  end when;
end ReinitTriggers;
