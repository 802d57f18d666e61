model DrainTorricelli "a tank drains by Torricelli's law and is empty in finite time"
  parameter Real u = 1, tau = 1;
  Real h(start = u, fixed = true);
  Real q;
equation
  q = if h > 0 then 0.8*sqrt(max(h, 0)*u)/tau else 0;
  der(h) = -q;
end DrainTorricelli;
