model RockingBlock "a slender block rocks from corner to corner and loses speed at each impact"
  parameter Real u = 1, tau = 1;
  Real phi(start = 0.15*u, fixed = true);
  Real w(start = 0, fixed = true);
  Boolean right(start = true, fixed = true);
equation
  der(phi) = w;
  der(w) = (4*phi - (if right then u else -u))/tau^2;
  when phi < 0 then
    right = false;
    reinit(w, 0.9*pre(w));
  elsewhen phi > 0 then
    right = true;
    reinit(w, 0.9*pre(w));
  end when;
end RockingBlock;
