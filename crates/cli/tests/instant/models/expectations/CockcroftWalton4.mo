model CockcroftWalton4 "Cockcroft-Walton multiplier, 4 stages, 8 ideal diodes, source resistance"
  parameter Integer N=4;
  parameter Real C=1e-6, Rs=10, RL=1e6, w=2*3.141592653589793*1000;
  Real vs, is, c[N](each start=0,each fixed=true) "pump column", o[N](each start=0,each fixed=true) "output column";
  Real pa[N+1] "potentials of the pump column", po[N+1] "potentials of the output column";
  Real d[2*N], u[2*N];
  Boolean on[2*N](each start=false);
equation
  vs = 100*sin(w*time);
  pa[1] = vs - Rs*is;
  po[1] = 0;
  for k in 1:N loop
    c[k] = pa[k+1] - pa[k];
    o[k] = po[k+1] - po[k];
    u[2*k-1] = po[k] - pa[k+1];
    u[2*k] = pa[k+1] - po[k+1];
  end for;
  // current up the pump column
  for k in 1:N loop
    C*der(c[k]) = -(sum(d[2*j] for j in k:N) - sum(d[2*j-1] for j in k:N)) ;
    C*der(o[k]) = sum(d[2*j] for j in k:N) - sum(d[2*j-1] for j in k+1:N) - po[N+1]/RL;
  end for;
  is = sum(d[2*j] for j in 1:N) - sum(d[2*j-1] for j in 1:N);
  for k in 1:2*N loop
    0 = if on[k] then u[k] - 1.0*d[k] else d[k];
    on[k] = if pre(on[k]) then d[k] >= 0 else u[k] > 0;
  end for;
end CockcroftWalton4;
