// Once went wrong: trust/check_blind_to_start.
model Tank "starts above its overflow edge: neither mode fits"
  Real h(start = 3, fixed = true), q, s;
  Boolean full(start = false, fixed = true);
equation
  der(h) = 0.1 - q;
  full = s >= 0;
  s = if full then q else h - 2;
  0 = if full then 2 - h else q;
end Tank;
