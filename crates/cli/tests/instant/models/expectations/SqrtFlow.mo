model SqrtFlow "two tanks, flow c*sqrt|dp| in either direction through a door at height 0.5; levels become equal in finite time"
  Real h1(start=2,fixed=true), h2(start=0.1,fixed=true), q;
  Real p1, p2;
equation
  p1 = max(h1 - 0.5, 0); p2 = max(h2 - 0.5, 0);
  q = if p1 >= p2 then sqrt(abs(p1 - p2)) else -sqrt(abs(p2 - p1));
  der(h1) = -0.3*q;
  der(h2) = 0.3*q;
end SqrtFlow;
