model SixPulse "three-phase bridge, ideal sources and diodes, RL load"
  parameter Real R=1, L=0.01, w=2*3.141592653589793*50;
  Real v[3], i[3], vp, vn, id(start=0,fixed=true), dp[3], dn[3], up[3], un[3];
  Boolean p[3](start={false,false,true}), n[3](start={false,true,false});
equation
  for k in 1:3 loop
    v[k] = 100*sin(w*time - 2*3.141592653589793/3*(k-1));
    i[k] = dp[k] - dn[k];
    up[k] = v[k] - vp;
    un[k] = vn - v[k];
    0 = if p[k] then up[k] else dp[k];
    0 = if n[k] then un[k] else dn[k];
    p[k] = if pre(p[k]) then dp[k] >= 0 else up[k] > 0;
    n[k] = if pre(n[k]) then dn[k] >= 0 else un[k] > 0;
  end for;
  id = dp[1] + dp[2] + dp[3];
  id = dn[1] + dn[2] + dn[3];
  L*der(id) = vp - vn - R*id;
end SixPulse;
