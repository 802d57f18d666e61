model Ripple150 "ripple counter: each bit toggles when the one before falls"
  parameter Integer N=150;
  Boolean b[N](start=fill(true,N),each fixed=true);
  Real x(start=0,fixed=true);
equation
  der(x) = if b[N] then 1 else 3;
  when time >= 0.5 then b[1] = not pre(b[1]); end when;
  for i in 2:N loop
    when not b[i-1] then b[i] = not pre(b[i]); end when;
  end for;
end Ripple150;
