model TwoRelays "two independent sawtooth relays of periods 2 and 2*(1+1e-11): nearly simultaneous events"
  parameter Real e=1e-11;
  Real a(start=0,fixed=true), b(start=0,fixed=true); 
  Boolean p(start=true,fixed=true), q(start=true,fixed=true);
equation
  der(a) = if p then 1 else -1;
  der(b) = if q then 1/(1+e) else -1/(1+e);
  p = if pre(p) then a < 1 else a < 0;
  q = if pre(q) then b < 1 else b < 0;
end TwoRelays;
