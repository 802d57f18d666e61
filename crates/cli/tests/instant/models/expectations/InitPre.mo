model InitPre "a diode that conducts at the start: pre(on) is not fixed, so on = pre(on) = true is the start"
  Real v, i, u;
  Boolean on;
equation
  v = cos(time);
  v = i + u;
  0 = if on then u else i;
  on = if pre(on) then i >= 0 else u > 0;
end InitPre;
