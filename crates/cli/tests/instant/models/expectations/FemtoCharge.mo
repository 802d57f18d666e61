model FemtoCharge "1 fA charges 1 fF to 0.5 V, then discharges: all quantities below 1e-15"
  Real q(start=0,fixed=true,nominal=1e-16);
  Boolean up(start=true,fixed=true);
equation
  der(q) = if up then 1e-16 else -2e-16;
  when q > 5e-16 then
    up = false;
  elsewhen q < 1e-16 then
    up = true;
  end when;
end FemtoCharge;
