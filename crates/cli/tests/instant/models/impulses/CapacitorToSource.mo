model CapacitorToSource "a capacitor is put on an ideal source, charged at once, and let go"
  parameter Real u = 1, tau = 1;
  Real v(start = 0, fixed = true);
  Real i, q(start = 0, fixed = true);
  Boolean closed;
equation
  closed = time >= tau and time < 2*tau;
  2*tau*der(v) = i - 0.5*v;
  tau*der(q) = i;
  0 = if closed then v - u*(1 + 0.2*time/tau) else i;
end CapacitorToSource;
