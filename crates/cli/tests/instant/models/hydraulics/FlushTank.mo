model FlushTank "a flush tank: emptied at 2, the float closes the inlet slowly"
  parameter Real u = 1, tau = 1;
  Real h(start = 0.95*u, fixed = true);
  Real inlet;
  Boolean flush(start = false, fixed = true);
equation
  inlet = max(0, min(0.5*u, u - h))/tau;
  der(h) = inlet - (if flush then 2*u/tau else 0);
  when time >= 2*tau then
    flush = true;
  elsewhen h < 0.1*u then
    flush = false;
  end when;
end FlushTank;
