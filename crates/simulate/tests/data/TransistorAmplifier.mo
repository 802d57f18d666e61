// Transistor amplifier: equations, parameters and start values of the Test Set for IVP Solvers (F. Mazzia, C. Magherini,
// F. Iavernaro, University of Bari); written anew in Modelica.
// start: y1=0 y2=3 y3=3 y4=6 y5=3 y6=3 y7=6 y8=0
// derivatives: y3=-166.66666666666669 y6=-83.33333333333334
model TransistorAmplifier "IVP test set: transistor amplifier, t in [0,0.2]; structural analysis fails on this form (singular mass matrix)"
  parameter Real Ub=6, UF=0.026, alpha=0.99, beta=1e-6, R0=1000, R=9000, C1=1e-6, C2=2e-6, C3=3e-6, C4=4e-6, C5=5e-6;
  Real y1(start=0), y2(start=3), y3(start=3,fixed=true), y4(start=6), y5(start=3), y6(start=3,fixed=true), y7(start=6), y8(start=0);
  Real Ue, g23, g56;
initial equation
  y1 - y2 = -3;
  y4 - y5 = 3;
  y7 - y8 = 6;
equation
  Ue = 0.1*sin(200*3.141592653589793*time);
  g23 = beta*(exp((y2 - y3)/UF) - 1);
  g56 = beta*(exp((y5 - y6)/UF) - 1);
  C1*(der(y1) - der(y2)) = (Ue - y1)/R0;
  -C1*(der(y1) - der(y2)) = Ub/R - 2*y2/R + (alpha - 1)*g23;
  C2*der(y3) = g23 - y3/R;
  C3*(der(y4) - der(y5)) = Ub/R - y4/R - alpha*g23;
  -C3*(der(y4) - der(y5)) = Ub/R - 2*y5/R + (alpha - 1)*g56;
  C4*der(y6) = g56 - y6/R;
  C5*(der(y7) - der(y8)) = Ub/R - y7/R - alpha*g56;
  -C5*(der(y7) - der(y8)) = -y8/R;
end TransistorAmplifier;
