model ReinitAlgebraic "resettable integrator: at x>1 back to u = -1"
  Real x(start=0,fixed=true), u;
equation
  u = -1 + 0*time;
  der(x) = 1;
  when x > 1 then reinit(x, u); end when;
end ReinitAlgebraic;
