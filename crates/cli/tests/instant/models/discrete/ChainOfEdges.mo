model ChainOfEdges "each clause triggers the next one, all in one instant"
  parameter Real tau = 1;
  Real x(start = 0, fixed = true);
  Boolean p(start = false, fixed = true), q(start = false, fixed = true), r(start = false, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  der(x) = (if r then -1 else 1)/tau;
  when x > 1 then
    p = true;
  end when;
  when p then
    q = true;
    n = pre(n) + 1;
  end when;
  when q then
    r = true;
  end when;
end ChainOfEdges;
