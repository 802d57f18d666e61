model Accumulator "a pump with pressure switch and a check valve to an accumulator under a pulsating load"
  parameter Real u = 1, tau = 1;
  Real p(start = 0.5*u, fixed = true);
  Real q, line;
  Boolean run(start = true, fixed = true), open(start = true);
equation
  run = if pre(run) then p < 1.5*u else p < u;
  line = if run then 2*u else 0;
  der(p) = (q - 0.3*u*(1 + cos(3*time/tau)))/tau;
  open = if pre(open) then q >= 0 else line > p;
  0 = if open then line - p - 0.8*q else q;
end Accumulator;
