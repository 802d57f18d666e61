// Once went wrong: trust/rimis_panic_transient_when.
model M
  Real x(start = 1, fixed = true), v(start = -1, fixed = true), F;
  Boolean touch;
equation
  der(x) = v;
  der(v) = F;
  touch = x <= 0;
  if not touch then F = 0; end if;
  when touch then
    v = -pre(v);
  end when;
end M;
