model RedoneNotAdded "what a clause did before its condition was known to be false is taken back"
  parameter Real tau = 1;
  Integer n(start = 0, fixed = true), hits(start = 0, fixed = true);
  Boolean armed(start = true, fixed = true);
equation
  when n > 0 and armed then
    hits = pre(hits) + 1;
  end when;
  when n > 0 then
    armed = false;
  end when;
  when time >= tau then
    n = pre(n) + 1;
  end when;
end RedoneNotAdded;
