// Once went wrong: trust/m27_unbalanced_component.
connector Pin Real v; flow Real i; end Pin;
connector HPort Real T; flow Real Q; end HPort;
partial model OnePort Pin p, n; Real v, i; equation v = p.v - n.v; 0 = p.i + n.i; i = p.i; end OnePort;
model Source extends OnePort; parameter Real V = 5; equation v = V; end Source;
model Resistor extends OnePort; parameter Real R = 1e3; equation v = R*i; end Resistor;
model Capacitor extends OnePort(v(start = 0, fixed = true)); parameter Real C = 1e-6; equation C*der(v) = i; end Capacitor;
model Inductor extends OnePort(i(start = 0, fixed = true)); parameter Real L = 1e-3; equation L*der(i) = v; end Inductor;
model Diode extends OnePort; Real s; Boolean on(start=false); equation on = s > 0; v = if on then 0 else s; i = if on then s else 0; end Diode;
model Ground Pin p; equation p.v = 0; end Ground;
model Lamp "one equation short"
  Pin p, n;
  parameter Real R = 4;
  Real P;
equation
  p.v - n.v = R*p.i;
  P = p.i*(p.v - n.v);
end Lamp;
model Net
  Source s; Lamp lamp; Ground g;
equation
  connect(s.p, lamp.p);
  connect(lamp.n, s.n);
  connect(s.n, g.p);
end Net;
