connector Pin Real v; flow Real i; end Pin;
model R Pin p, n; parameter Real r = 1; equation p.v - n.v = r*p.i; p.i + n.i = 0; end R;
model S extends R(r = 2); end S;
model M parameter Integer N = 3; R r[N]; S s; equation for k in 1:N - 1 loop connect(r[k].n, r[k + 1].p); end for; connect(r[N].n, s.p); s.n.v = 0; r[1].p.v = if time > 0.5 then 1 else 0; end M;
