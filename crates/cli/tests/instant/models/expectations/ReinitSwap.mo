model ReinitSwap "swap of two states without pre"
  Real x(start=0,fixed=true), y(start=5,fixed=true);
equation
  der(x) = 1; der(y) = 0;
  when time >= 1 then reinit(x, y); reinit(y, x); end when;
end ReinitSwap;
