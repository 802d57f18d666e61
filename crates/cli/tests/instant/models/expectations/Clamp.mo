model Clamp "switch opens, the current of an ideal source goes through a diode to 10 V: mode open and blocking is singular"
  Real v, isw, id, s; Boolean closed, on(start=false);
equation
  closed = time < 0.5;
  1 = isw + id;
  0 = if closed then v else isw;
  on = s > 0;
  s = if on then id else v - 10;
  0 = if on then v - 10 else id;
end Clamp;
