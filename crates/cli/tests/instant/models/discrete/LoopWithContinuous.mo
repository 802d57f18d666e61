model LoopWithContinuous "when equations and continuous equations form a loop and are solved together"
  parameter Real u = 1, tau = 1;
  Real x, z;
  discrete Real y(start = 0, fixed = true);
equation
  when sample(0, 0.5*tau) then
    y = 3*u + u*time/tau - z;
  end when;
  x + y = 4*u;
  z = 0.5*(x - 3*y);
end LoopWithContinuous;
