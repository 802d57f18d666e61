model SuccessiveClauses "two clauses set one state, in successive micro-steps of one instant"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Boolean second(start = false, fixed = true);
equation
  tau*der(x) = u;
  when x >= u then
    reinit(x, 10*u);
    second = true;
  end when;
  when pre(second) then
    reinit(x, 0.5*x);
  end when;
end SuccessiveClauses;
