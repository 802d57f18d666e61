// Once went wrong: trust/all_modes_start.
model B "when standby, two conditions for T; init prints `overdetermined` for that case and exits 0; check: all well"
  input Boolean standby;
  Real T;
initial equation
  if standby then T = 340; der(T) = 0; else T = 293; end if;
equation
  der(T) = (if standby then 1 else 2) - (T - 293);
end B;
