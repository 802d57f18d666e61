model Deadbeat "a deadbeat controller of a double integrator: there after two samples"
  parameter Real u = 1, tau = 1;
  Real x(start = 0, fixed = true);
  Real v(start = 0, fixed = true);
  discrete Real a(start = 0, fixed = true);
equation
  der(x) = v;
  der(v) = a;
  when sample(0, tau) then
    a = (u - x)/tau^2 - 1.5*v/tau;
  end when;
end Deadbeat;
