// Once went wrong: trust/reinit_twice.
model R2 "two reinit of v in one when"
  Real x(start = 1, fixed = true), v(start = 0, fixed = true), d(start = 0, fixed = true);
  Boolean hit, far;
equation
  der(x) = v; der(v) = -9.81; der(d) = 1;
  hit = x <= 0; far = d > 2;
  when hit then
    reinit(v, -0.5*pre(v));
    if far then reinit(v, 0); end if;
  end when;
end R2;
