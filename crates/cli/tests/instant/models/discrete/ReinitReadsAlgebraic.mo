model ReinitReadsAlgebraic "reinit evaluates with the states before it, also through an algebraic variable"
  parameter Real u = 1, tau = 1;
  Real x(start = u, fixed = true);
  Real y;
equation
  tau*der(x) = 0.5*u;
  y = 2*x;
  when sample(tau, tau) then
    reinit(x, y - 2*u);
  end when;
end ReinitReadsAlgebraic;
