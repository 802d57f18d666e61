model Ratchet "a ratchet: the pawl falls behind every tooth and keeps the wheel from going back"
  parameter Real u = 1, tau = 1;
  Real phi(start = 0, fixed = true);
  Real w(start = 0, fixed = true);
  Real f;
  Integer teeth(start = 0, fixed = true);
  Boolean held(start = true);
equation
  der(phi) = w;
  der(w) = 2*u/tau^2*sin(time/tau) - 0.5*w/tau - 0.5*u/tau^2 + f;
  when phi > (pre(teeth) + 1)*0.3*u then
    teeth = pre(teeth) + 1;
  end when;
  held = if pre(held) then f >= 0 else phi < teeth*0.3*u;
  0 = if held then phi - teeth*0.3*u else f;
end Ratchet;
