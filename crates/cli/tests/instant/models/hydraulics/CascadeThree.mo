model CascadeThree "three tanks overflow into the next one"
  parameter Real u = 1, tau = 1;
  Real h[3](each start = 0, each fixed = true);
  Real over[3];
  Boolean full[3](each start = false);
equation
  der(h[1]) = 0.7*u/tau - 0.1*h[1]/tau - over[1];
  der(h[2]) = over[1] - 0.1*h[2]/tau - over[2];
  der(h[3]) = over[2] - 0.1*h[3]/tau - over[3];
  for k in 1:3 loop
    full[k] = if pre(full[k]) then over[k] >= 0 else h[k] > u*k/2;
    0 = if full[k] then h[k] - u*k/2 else over[k];
  end for;
end CascadeThree;
