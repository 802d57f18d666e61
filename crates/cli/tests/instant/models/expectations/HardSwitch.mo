model HardSwitch "a switch takes over the current of a conducting ideal diode (every hard-switched converter); mode sw and on is structurally singular"
  Real vx, isw, id, s; 
  Boolean sw, on(start=true);
equation
  sw = time > 0.5;
  1 = isw + id;
  0 = if sw then vx - 10 else isw;
  on = s > 0;
  0 = if on then vx else id;
  s = if on then id else -vx;
end HardSwitch;
