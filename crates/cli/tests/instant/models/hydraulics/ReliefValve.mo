model ReliefValve "a pump works against a relief valve: the pressure stays at the limit while it opens"
  parameter Real u = 1, tau = 1;
  Real p(start = 0, fixed = true);
  Real q, pump;
  Boolean open(start = false);
equation
  pump = u*(1 + sin(2*time/tau));
  der(p) = (pump - 0.5*p - q)/tau;
  open = if pre(open) then q >= 0 else p > 1.6*u;
  0 = if open then p - 1.6*u else q;
end ReliefValve;
