model PegPendulum "a pendulum whose string catches on a peg below the pivot: shorter on one side"
  parameter Real tau = 1;
  Real phi(start = 0.6, fixed = true);
  Real w(start = 0, fixed = true);
  Boolean short(start = false, fixed = true);
equation
  der(phi) = w;
  der(w) = -9.81/(if short then 0.4 else 1)*sin(phi)/tau^2;
  when phi < 0 then
    short = true;
    reinit(w, pre(w)/0.4);
  elsewhen phi > 0 then
    short = false;
    reinit(w, pre(w)*0.4);
  end when;
end PegPendulum;
