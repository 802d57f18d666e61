model ReinitRotates "three states are exchanged in a circle, without pre"
  parameter Real u = 1, tau = 1;
  Real x(start = u, fixed = true), y(start = 2*u, fixed = true), z(start = 4*u, fixed = true);
equation
  tau*der(x) = 0.1*u;
  tau*der(y) = 0;
  tau*der(z) = -0.1*u;
  when sample(tau, tau) then
    reinit(x, y);
    reinit(y, z);
    reinit(z, x);
  end when;
end ReinitRotates;
