model CheckValve "a reservoir of changing pressure fills a tank over a check valve and a pipe"
  parameter Real u = 1, tau = 1;
  Real p(start = 0, fixed = true);
  Real q, d;
  Boolean open(start = true);
equation
  2*der(p) = (q - 0.1*p)/tau;
  d = u*sin(time/tau) - p - 0.5*q;
  open = if pre(open) then q >= 0 else d > 0;
  0 = if open then d else q;
end CheckValve;
