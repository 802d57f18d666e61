model ImpactChain "four blocks with gaps, plastic impacts one after the other, drag on the last"
  parameter Real u = 1, tau = 1;
  parameter Integer N = 4;
  Real x[N](start = {0, 0.5*u, 1*u, 1.2*u}, each fixed = true);
  Real v[N](start = {2*u/tau, 0, 0, 0}, each fixed = true);
  Real f[N - 1], g[N - 1];
  Boolean c[N - 1](each start = false);
equation
  for k in 1:N loop
    der(x[k]) = v[k];
    der(v[k]) = (if k > 1 then f[max(k - 1, 1)] else 0) - (if k < N then f[min(k, N - 1)] else 0) - (if k == N then 0.2*v[k]/tau else 0);
  end for;
  for k in 1:N - 1 loop
    g[k] = x[k + 1] - x[k];
    c[k] = if pre(c[k]) then f[k] >= 0 else g[k] < 0;
    0 = if c[k] then g[k] else f[k];
  end for;
end ImpactChain;
