function f input Real x[:]; output Real y; protected Integer k = 0; algorithm for i in 1:size(x, 1) loop if x[i] > 0 then y := y + x[i]; k := k + 1; end if; end for; end f;
record Q Real a = 1; Real b; end Q;
model M Q q(b = f({1, 2, time})); Real z = sum(q.a*i for i in 1:4); Boolean c(start = false); equation when z > 3 then c = not pre(c); end when; end M;
