model OncePerEdge "an instant of several micro-steps counts an edge once"
  parameter Real tau = 1;
  Integer n(start = 0, fixed = true), m(start = 0, fixed = true), k(start = 0, fixed = true);
equation
  when time >= tau then
    n = pre(n) + 1;
  end when;
  when n >= 1 then
    m = pre(m) + 1;
  end when;
  when m >= 1 then
    k = pre(k) + n + m;
  end when;
end OncePerEdge;
