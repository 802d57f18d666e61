model Quantizer "a quantized measurement drives an integrator"
  parameter Real u = 1, tau = 1;
  Real x(start = 0.05*u, fixed = true);
  Real q;
  Real y(start = 0, fixed = true);
equation
  q = 0.25*u*floor(x/(0.25*u));
  der(x) = u*cos(time/tau)/tau;
  der(y) = q/tau;
end Quantizer;
