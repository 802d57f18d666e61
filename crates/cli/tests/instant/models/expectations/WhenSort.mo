model WhenSort "v must stay true: at time 1 z becomes false in the same instant"
  Integer n(start=0,fixed=true);
  Boolean v(start=true,fixed=true), z(start=true,fixed=true);
equation
  when time >= 1 then n = pre(n) + 1; end when;
  when n > 0 and z then v = false; end when;
  when n > 0 then z = false; end when;
end WhenSort;
